import type { HistoricBuild } from "@dbdepot/contract/console/databases";
import { FORMATS } from "@dbdepot/contract/shared/choices";
import { Drawer, Stack, Title } from "@mantine/core";
import { CopiedText, FactTable } from "../../components/fact-table.tsx";
import { formatCount, formatDate } from "../../components/format.ts";
import { Time } from "../../components/time.tsx";
import { Digests } from "./digests.tsx";
import { fileNameOf } from "./formats.ts";
import { Signature } from "./signature.tsx";

interface HistoricBuildDrawerProps {
  /** The id of the version. */
  id: string;
  build: HistoricBuild;
  onClose: () => void;
}

/** The checksums and the signature of one build. */
export function HistoricBuildDrawer({ id, build, onClose }: HistoricBuildDrawerProps) {
  return (
    <Drawer opened onClose={onClose} size="lg" title={`${id}, ${formatDate(build.updated)}`}>
      <Stack gap="xl">
        <FactTable
          facts={{
            "Build id": <CopiedText text={build.id} label="Copy the build id" />,
            Rows: formatCount(build.entries),
            Published: <Time value={build.published} show="full" />,
          }}
        />
        {FORMATS.map((format) => {
          const file = build.files[format];
          return (
            file && (
              <Stack key={format} gap="xs">
                <Title order={2}>{fileNameOf(id, format)}</Title>
                <Digests file={fileNameOf(id, format)} checksums={file.checksums} />
              </Stack>
            )
          );
        })}
        <Signature id={id} signature={build.signature} files={build.files} />
      </Stack>
    </Drawer>
  );
}
