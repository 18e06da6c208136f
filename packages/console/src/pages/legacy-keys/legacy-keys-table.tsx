import type { OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import { Button, Text } from "@mantine/core";
import { IconKeyOff } from "@tabler/icons-react";
import { useState } from "react";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import type { LoadedQuery } from "../../components/loaded.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { LastTime, Time } from "../../components/time.tsx";
import { RevokeLegacyKeyDialog } from "./revoke-dialog.tsx";

interface LegacyKeysTableProps {
  query: LoadedQuery<OperatorLegacyKey[]>;
  /** By id. Without them, the table has no column for the organization. */
  organizationNames?: ReadonlyMap<string, string>;
  empty: { title: string; text: string };
}

export function LegacyKeysTable({ query, organizationNames, empty }: LegacyKeysTableProps) {
  const { role } = useAccount();
  const [revoking, setRevoking] = useState<OperatorLegacyKey>();
  return (
    <>
      <DataTable
        label="Legacy keys"
        query={query}
        columns={[
          { heading: "Name", cell: ({ name }) => <Text fw={500}>{name}</Text> },
          organizationNames && {
            heading: "Organization",
            cell: ({ organization_id: id }) => (id ? (organizationNames.get(id) ?? id) : <Text c="dimmed">None</Text>),
          },
          {
            heading: "Status",
            cell: ({ revoked }) => (
              <StatusBadge tone={revoked ? "bad" : "good"}>{revoked ? "Revoked" : "Active"}</StatusBadge>
            ),
          },
          {
            heading: "Databases",
            maw: 260,
            cell: ({ database_ids: ids }) => (
              <Text truncate title={ids.join(", ")}>
                {ids.join(", ") || "None"}
              </Text>
            ),
          },
          { heading: "Last used", cell: ({ last_used }) => <LastTime value={last_used} /> },
          { heading: "Created", cell: ({ created }) => <Time value={created} show="date" /> },
        ]}
        actions={(key) =>
          !key.revoked &&
          isManagerRole(role) && (
            <Button variant="default" size="xs" onClick={() => setRevoking(key)} aria-label={`Revoke ${key.name}`}>
              Revoke
            </Button>
          )
        }
        empty={<EmptyState icon={IconKeyOff} {...empty} />}
        minWidth={organizationNames ? 820 : 640}
        stacks
      />
      {revoking && <RevokeLegacyKeyDialog legacyKey={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}
