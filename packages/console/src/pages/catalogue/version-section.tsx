import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconArchive, IconPencil, IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOpens } from "../../app/opens.ts";
import { FactCards } from "../../components/fact-cards.tsx";
import { formatBytes, formatCount, formatDate } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { ChangesDrawer } from "../databases/changes-drawer.tsx";
import { formatList, sizeOf } from "../databases/formats.ts";
import { buildsQuery, catalogueApi } from "./api.ts";
import { ArchivedNote } from "./archiving.tsx";
import { DiscardDialog, RollbackDialog, WithdrawDialog } from "./build-dialogs.tsx";
import { BuildDrawer } from "./build-drawer.tsx";
import { type BuildAction, BuildTable } from "./build-table.tsx";
import { PublishDialog } from "./publish-dialog.tsx";

interface VersionSectionProps {
  version: ListedVersion;
  canChange: boolean;
  canPublish: boolean;
  onEdit: () => void;
  onArchive: () => void;
}

/** A version with its current build and earlier ones. */
export function VersionSection({ version, canChange, canPublish, onEdit, onArchive }: VersionSectionProps) {
  const query = useQuery(buildsQuery(version.id));
  const builds = query.data?.builds ?? [];
  const [action, setAction] = useState<BuildAction>();
  const [isPublishing, setIsPublishing] = useState(false);
  useOpens("publish", () => setIsPublishing(true), canPublish);
  const close = () => setAction(undefined);
  const publishButton = canPublish && (
    <Button leftSection={<IconUpload size={16} stroke={1.8} />} onClick={() => setIsPublishing(true)}>
      Publish a build
    </Button>
  );
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap={2} style={{ flex: "1 1 320px" }}>
          <Title order={2}>
            <code>{version.id}</code>
          </Title>
          <Text c="dimmed">{version.summary}</Text>
        </Stack>
        {canChange && (
          <Group gap="xs">
            <Button variant="default" leftSection={<IconPencil size={16} stroke={1.6} />} onClick={onEdit}>
              Edit
            </Button>
            {!version.archived && (
              <Button variant="default" leftSection={<IconArchive size={16} stroke={1.6} />} onClick={onArchive}>
                Archive
              </Button>
            )}
            {publishButton}
          </Group>
        )}
      </Group>
      {version.archived && (
        <ArchivedNote subject={{ kind: "version", id: version.id, name: version.id }} canChange={canChange} />
      )}
      <CurrentBuild version={version} />
      <BuildTable
        version={version}
        query={{ ...query, data: query.data?.builds }}
        canChange={canChange}
        onAction={setAction}
      />
      {query.data?.hasMore && (
        <Text size="sm" c="dimmed">
          These are the newest {formatCount(builds.length)} builds. <code>dbdepot-server builds list</code> shows all of
          them.
        </Text>
      )}
      {action?.kind === "changes" && (
        <ChangesDrawer
          title={`What the build of ${formatDate(action.build.updated)} changed`}
          buildId={action.build.id}
          load={() => catalogueApi.buildChanges(action.build.id)}
          onClose={close}
        />
      )}
      {action?.kind === "details" && <BuildDrawer build={action.build} builds={builds} onClose={close} />}
      {action?.kind === "rollback" && <RollbackDialog build={action.build} builds={builds} onClose={close} />}
      {action?.kind === "withdraw" && <WithdrawDialog build={action.build} builds={builds} onClose={close} />}
      {action?.kind === "discard" && <DiscardDialog build={action.build} onClose={close} />}
      {isPublishing && <PublishDialog version={version} onClose={() => setIsPublishing(false)} />}
    </Stack>
  );
}

function CurrentBuild({ version }: { version: ListedVersion }) {
  const { current_build: build, formats, update_freq: frequency, overdue } = version;
  return (
    <FactCards
      facts={{
        Formats: formatList(formats),
        Rows: build ? formatCount(build.entries) : "–",
        Size: build ? formatBytes(sizeOf(build)) : "–",
        "Current build": build?.published ? (
          <Group gap="xs">
            <Time value={build.published} />
            {overdue && <StatusBadge tone="bad">Overdue</StatusBadge>}
          </Group>
        ) : version.planned ? (
          "None yet: planned"
        ) : (
          "None"
        ),
        Schedule: frequency ?? "Not in the metadata",
      }}
    />
  );
}
