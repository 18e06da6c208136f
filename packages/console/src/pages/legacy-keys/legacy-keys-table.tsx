import type { OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import { Button, Text } from "@mantine/core";
import { IconKeyOff, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ListControls, useList } from "../../components/list.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { LastTime, Time } from "../../components/time.tsx";
import { OrganizationName } from "../organizations/organization-name.tsx";
import { LEGACY_KEYS_KEY, legacyKeysApi } from "./api.ts";
import { RevokeLegacyKeyDialog } from "./revoke-dialog.tsx";

interface LegacyKeysTableProps {
  /** Undefined for the keys of all organizations. */
  organizationId?: string;
  /** Says that there is no active key. */
  emptyText: string;
}

/** The most recently used ones come first. */
export function LegacyKeysTable({ organizationId, emptyText }: LegacyKeysTableProps) {
  const { role } = useAccount();
  const [revoking, setRevoking] = useState<OperatorLegacyKey>();
  const list = useList({
    queryKey: [...LEGACY_KEYS_KEY, organizationId],
    source: legacyKeysApi.list,
    filter: { org: organizationId },
    hiding: { state: "active" },
    defaultSort: "-last_used",
  });
  return (
    <>
      <ListControls
        list={list}
        noun="legacy key"
        placeholder={organizationId ? "Search by name or database" : "Search by name, database or organization"}
        allLabel="Show revoked keys"
      />
      <DataTable
        label="Legacy keys"
        {...list.table}
        columns={[
          { heading: "Name", sort: "name", min: 150, cell: ({ name }) => <Text fw={500}>{name}</Text> },
          organizationId === undefined && {
            heading: "Organization",
            sort: "organization",
            min: 150,
            cell: ({ organization_id: id }) => (id ? <OrganizationName id={id} /> : <Text c="dimmed">None</Text>),
          },
          {
            heading: "Status",
            w: 125,
            cell: ({ revoked }) => (
              <StatusBadge tone={revoked ? "bad" : "good"}>{revoked ? "Revoked" : "Active"}</StatusBadge>
            ),
          },
          {
            heading: "Databases",
            min: 150,
            priority: 3,
            cell: ({ database_ids: ids }) => (
              <Text truncate title={ids.join(", ")}>
                {ids.join(", ") || "None"}
              </Text>
            ),
          },
          { heading: "Last used", sort: "-last_used", w: 135, cell: ({ last_used }) => <LastTime value={last_used} /> },
          {
            heading: "Created",
            sort: "-created",
            w: 135,
            priority: 3,
            cell: ({ created }) => <Time value={created} show="date" />,
          },
        ]}
        actionsWidth={112}
        actions={(key) =>
          !key.revoked &&
          isManagerRole(role) && (
            <Button variant="default" size="xs" onClick={() => setRevoking(key)} aria-label={`Revoke ${key.name}`}>
              Revoke
            </Button>
          )
        }
        empty={
          list.isSearch ? (
            <EmptyState icon={IconSearch} title="No legacy key matches" text="Try another word, or show all keys." />
          ) : (
            <EmptyState icon={IconKeyOff} title="No active legacy keys" text={emptyText} />
          )
        }
      />
      {revoking && <RevokeLegacyKeyDialog legacyKey={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}
