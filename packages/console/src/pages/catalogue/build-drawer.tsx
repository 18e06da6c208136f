import type { ListedBuild } from "@dbdepot/contract/operator/builds";
import { FILE_KINDS } from "@dbdepot/contract/shared/choices";
import { Button, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { describeActor } from "../../components/actor.ts";
import { CopiedText, FactTable } from "../../components/fact-table.tsx";
import { formatBytes, formatCount, formatDate } from "../../components/format.ts";
import { Time } from "../../components/time.tsx";
import { Digests } from "../databases/digests.tsx";
import { FILE_NAMES } from "../databases/formats.ts";
import { Signature } from "../databases/signature.tsx";
import { catalogueApi } from "./api.ts";
import { BuildPatches } from "./build-patches.tsx";
import { BuildState } from "./build-table.tsx";

interface BuildDrawerProps {
  build: ListedBuild;
  /** All builds of the version. */
  builds: readonly ListedBuild[];
  onClose: () => void;
}

export function BuildDrawer({ build, builds, onClose }: BuildDrawerProps) {
  return (
    <Drawer opened onClose={onClose} size="lg" title={`${build.version_id}, ${formatDate(build.updated)}`}>
      <Stack gap="xl">
        <Facts build={build} />
        {FILE_KINDS.map((kind) => {
          const file = build.files[kind];
          if (!file) return null;
          return (
            <Stack key={kind} gap="xs">
              <Group gap="xs">
                <Title order={2}>{FILE_NAMES[kind]}</Title>
                <Text c="dimmed">{formatBytes(file.size_bytes)}</Text>
              </Group>
              {build.state !== "removed" && (
                <Button
                  component="a"
                  href={catalogueApi.buildFileUrl(build.id, kind)}
                  variant="default"
                  size="xs"
                  leftSection={<IconDownload size={14} stroke={1.8} />}
                  style={{ alignSelf: "flex-start" }}
                >
                  Download the {FILE_NAMES[kind]}
                </Button>
              )}
              <Digests file={`the ${FILE_NAMES[kind]}`} checksums={file.checksums} />
            </Stack>
          );
        })}
        <Signature id={build.version_id} signature={build.signature} files={build.files} />
        <BuildPatches build={build} builds={builds} />
      </Stack>
    </Drawer>
  );
}

function Facts({ build }: { build: ListedBuild }) {
  return (
    <FactTable
      facts={{
        State: <BuildState build={build} />,
        "Build id": <CopiedText text={build.id} label="Copy the build id" />,
        Rows: formatCount(build.entries),
        Created: <Time value={build.created} show="full" />,
        ...(build.published && { Published: <Time value={build.published} show="full" /> }),
        ...(build.published_by && { "Published by": describeActor(build.published_by) }),
        ...(build.withdrawn && { Withdrawn: <Time value={build.withdrawn} show="full" /> }),
        ...(build.withdrawn_reason && { Reason: build.withdrawn_reason }),
      }}
    />
  );
}
