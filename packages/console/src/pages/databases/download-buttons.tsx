import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import { Button, Group } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { FILE_NAMES } from "./formats.ts";
import { metadataQuery } from "./queries.ts";

/** The buttons are links, so that the browser itself downloads the file from storage. */
export function DownloadButtons({ version: { id, formats } }: { version: DatabaseVersion }) {
  const { data: build } = useQuery(metadataQuery(id));
  if (!build) return null;
  return (
    <Group gap="xs">
      {formats.map((format, index) => (
        <Button
          key={format}
          component="a"
          href={api.downloadUrl(id, format)}
          variant={index === 0 ? "filled" : "default"}
          leftSection={<IconDownload size={16} stroke={1.8} />}
        >
          Download {FILE_NAMES[format]}
        </Button>
      ))}
    </Group>
  );
}

/** Samples need no licence. */
export function SampleButtons({ version: { id, sample_formats: formats } }: { version: DatabaseVersion }) {
  return (
    <Group gap="xs">
      {formats.map((format) => (
        <Button
          key={format}
          component="a"
          href={api.sampleUrl(id, format)}
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.8} />}
        >
          Download a sample: {FILE_NAMES[format]}
        </Button>
      ))}
    </Group>
  );
}
