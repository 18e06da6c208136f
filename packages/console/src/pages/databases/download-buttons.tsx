import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import { Button, Group } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { databasesApi, metadataQuery } from "./api.ts";
import { FILE_NAMES, preferredFormat } from "./formats.ts";

/** The buttons are links, so that the browser itself downloads the file from storage. */
export function DownloadButtons({ version: { id, formats } }: { version: DatabaseVersion }) {
  const { data: build } = useQuery(metadataQuery(id));
  if (!build) return null;
  const preferred = preferredFormat(formats);
  return formats.map((format) => (
    <Button
      key={format}
      component="a"
      href={databasesApi.downloadUrl(id, format)}
      variant={format === preferred ? "filled" : "default"}
      leftSection={<IconDownload size={16} stroke={1.8} />}
    >
      Download {FILE_NAMES[format]}
    </Button>
  ));
}

/** Samples need no licence. */
export function SampleButtons({ version: { id, sample_formats: formats } }: { version: DatabaseVersion }) {
  return (
    <Group gap="xs">
      {formats.map((format) => (
        <Button
          key={format}
          component="a"
          href={databasesApi.sampleUrl(id, format)}
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.8} />}
        >
          Download a sample: {FILE_NAMES[format]}
        </Button>
      ))}
    </Group>
  );
}
