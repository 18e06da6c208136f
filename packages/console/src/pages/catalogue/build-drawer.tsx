import type { ListedBuild } from "@dbdepot/contract/operator/builds";
import type { FileKind } from "@dbdepot/contract/shared/formats";
import { Drawer, Group, Stack, Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { describeActor } from "../../components/actor.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { formatBytes, formatCount, formatDate } from "../../components/format.ts";
import { Time } from "../../components/time.tsx";
import { BuildState } from "./build-table.tsx";
import { FILE_KINDS, FILE_NAMES } from "./files.ts";

export function BuildDrawer({ build, onClose }: { build: ListedBuild; onClose: () => void }) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      padding="lg"
      title={`${build.version_id}, ${formatDate(build.updated)}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="xl">
        <Facts build={build} />
        {FILE_KINDS.map((kind) => {
          const file = build.files[kind];
          return file && <FileDigests key={kind} kind={kind} file={file} />;
        })}
      </Stack>
    </Drawer>
  );
}

function Facts({ build }: { build: ListedBuild }) {
  return (
    <FactTable
      facts={{
        State: <BuildState build={build} />,
        "Build id": <Copied text={build.id} label="Copy the build id" />,
        Rows: formatCount(build.entries),
        Created: <Time value={build.created} show="full" />,
        ...(build.published && { Published: <Time value={build.published} show="full" /> }),
        ...(build.published_by && { "Published by": describeActor(build.published_by) }),
        ...(build.withdrawn && { Withdrawn: <Time value={build.withdrawn} show="full" /> }),
      }}
    />
  );
}

function FileDigests({ kind, file }: { kind: FileKind; file: NonNullable<ListedBuild["files"][FileKind]> }) {
  const { md5, sha1, sha256, sha512 } = file.checksums;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Title order={2}>{FILE_NAMES[kind]}</Title>
        <Text c="dimmed">{formatBytes(file.size_bytes)}</Text>
      </Group>
      <FactTable
        facts={{
          "SHA-512": <Copied text={sha512} label={`Copy the SHA-512 of the ${FILE_NAMES[kind]}`} />,
          "SHA-256": <Copied text={sha256} label={`Copy the SHA-256 of the ${FILE_NAMES[kind]}`} />,
          "SHA-1": <Copied text={sha1} label={`Copy the SHA-1 of the ${FILE_NAMES[kind]}`} />,
          MD5: <Copied text={md5} label={`Copy the MD5 of the ${FILE_NAMES[kind]}`} />,
        }}
      />
    </Stack>
  );
}

function FactTable({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <Table layout="fixed" horizontalSpacing={0}>
      <Table.Tbody>
        {Object.entries(facts).map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th scope="row" w={104}>
              {label}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <code style={{ overflowWrap: "anywhere" }}>{text}</code>
      <CopyButton value={text} label={label} />
    </Group>
  );
}
