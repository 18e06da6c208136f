import type { ListedBuild } from "@dbdepot/contract/operator/builds";
import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Group, Text } from "@mantine/core";
import { IconArrowBackUp, IconBan, IconListDetails, IconPackage, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { ActionsMenu, MenuAction } from "../../components/actions-menu.tsx";
import { describeActor } from "../../components/actor.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatDate } from "../../components/format.ts";
import type { LoadedQuery } from "../../components/loaded.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { LastTime } from "../../components/time.tsx";
import { amountColumns } from "../databases/amounts.tsx";
import { ChangeCounts } from "../databases/change-counts.tsx";
import { previousOf } from "./build-changes.ts";
import { PatchCount } from "./build-patches.tsx";

export interface BuildAction {
  kind: "details" | "changes" | "rollback" | "withdraw" | "discard";
  build: ListedBuild;
}

interface BuildTableProps {
  version: ListedVersion;
  /** Newest first. */
  query: LoadedQuery<ListedBuild[]>;
  canChange: boolean;
  onAction: (action: BuildAction) => void;
}

const STEP = 50;

export function BuildTable({ version, query, canChange, onAction }: BuildTableProps) {
  const [count, setCount] = useState(STEP);
  const builds = query.data ?? [];
  return (
    <DataTable
      label="Builds"
      query={{ ...query, data: query.data?.slice(0, count) }}
      placeholders={3}
      columns={[
        { heading: "Build", min: 190, cell: (build) => <BuildName build={build} /> },
        { heading: "Published", w: 135, cell: ({ published }) => <LastTime value={published} /> },
        {
          heading: "By",
          min: 140,
          priority: 3,
          cell: ({ published_by: by }) => (
            <Text truncate title={by ?? undefined}>
              {by && describeActor(by)}
            </Text>
          ),
        },
        ...amountColumns<ListedBuild>(version.formats, (build) => previousOf(build, builds)),
        {
          heading: "Changed rows",
          w: 140,
          cell: (build) => <ChangeCounts counts={build.changes} onClick={() => onAction({ kind: "changes", build })} />,
        },
        { heading: "Patches", w: 100, priority: 3, ta: "right", cell: (build) => <PatchCount build={build} /> },
      ]}
      actions={(build) => <BuildMenu build={build} canChange={canChange} onAction={onAction} />}
      more={builds.length > count && { label: "Show older builds", onClick: () => setCount(count + STEP) }}
      empty={
        <EmptyState
          icon={IconPackage}
          title="No build yet"
          text="The version is planned: customers see it in the catalogue once its first build is published. Until then, downloads get NOT_AVAILABLE."
        />
      }
    />
  );
}

function BuildName({ build }: { build: ListedBuild }) {
  return (
    <>
      <Group gap={4}>
        <Text fw={500} style={{ whiteSpace: "nowrap" }}>
          {build.updated === "" ? "No date" : formatDate(build.updated)}
        </Text>
        <BuildState build={build} />
      </Group>
      <Text size="sm" c="dimmed">
        <code>{build.id.slice(-12)}</code>
      </Text>
    </>
  );
}

export function BuildState({ build: { state, current } }: { build: ListedBuild }) {
  if (current) return <StatusBadge tone="good">Current</StatusBadge>;
  if (state === "staged") return <StatusBadge tone="warning">Not published</StatusBadge>;
  if (state === "withdrawn") return <StatusBadge tone="bad">Withdrawn</StatusBadge>;
  if (state === "removed") return <StatusBadge tone="neutral">Deleted</StatusBadge>;
  return <StatusBadge tone="neutral">Earlier</StatusBadge>;
}

type BuildMenuProps = Pick<BuildTableProps, "canChange" | "onAction"> & { build: ListedBuild };

function BuildMenu({ build, canChange, onAction }: BuildMenuProps) {
  const isServed = build.state === "published";
  const open = (kind: BuildAction["kind"]) => () => onAction({ kind, build });
  return (
    <ActionsMenu subject={`the build ${build.id}`} width={220}>
      <MenuAction icon={IconListDetails} onClick={open("details")}>
        Details and checksums
      </MenuAction>
      {canChange && isServed && !build.current && (
        <MenuAction icon={IconArrowBackUp} onClick={open("rollback")}>
          Make it current
        </MenuAction>
      )}
      {canChange && isServed && (
        <MenuAction icon={IconBan} isDangerous onClick={open("withdraw")}>
          Withdraw
        </MenuAction>
      )}
      {canChange && build.state === "staged" && (
        <MenuAction icon={IconTrash} isDangerous onClick={open("discard")}>
          Discard
        </MenuAction>
      )}
    </ActionsMenu>
  );
}
