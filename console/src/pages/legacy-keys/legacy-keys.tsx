import type { OperatorLegacyKey } from "@dbdepot/contract/operator";
import { Button, Group, Switch, Table, Text, VisuallyHidden } from "@mantine/core";
import { IconKeyOff } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { allPages, api } from "../../app/api.ts";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { plural } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import { organizationsQuery } from "../organizations/queries.ts";
import { RevokeLegacyKeyDialog } from "./revoke-dialog.tsx";

const legacyKeysQuery = queryOptions({
  queryKey: ["legacy-keys"],
  queryFn: (): Promise<OperatorLegacyKey[]> => allPages(api.legacyKeys, ({ legacy_keys }) => legacy_keys),
});

/** Who still uses v1: the most recently used keys first. */
export function LegacyKeys() {
  const keys = useQuery(legacyKeysQuery);
  const [showsRevoked, setShowsRevoked] = useState(false);
  const [revoking, setRevoking] = useState<OperatorLegacyKey>();
  return (
    <Page
      title="Legacy keys"
      description="Keys of the v1 API, and when each was last used. Move their users to v2 keys, then revoke them."
    >
      <Loaded
        query={keys}
        isEmpty={(all) => all.length === 0}
        empty={
          <EmptyState
            icon={IconKeyOff}
            title="No legacy keys"
            text="None of your customers has a key for the v1 API."
          />
        }
      >
        {(all) => {
          const revoked = all.filter((key) => key.revoked).length;
          const shown = all.filter((key) => showsRevoked || !key.revoked).toSorted(byLastUse);
          return (
            <>
              {revoked > 0 && (
                <Group justify="flex-end">
                  <Switch
                    label={`Show ${plural(revoked, "revoked key")}`}
                    checked={showsRevoked}
                    onChange={({ currentTarget }) => setShowsRevoked(currentTarget.checked)}
                  />
                </Group>
              )}
              {shown.length > 0 ? (
                <LegacyKeysTable keys={shown} onRevoke={setRevoking} />
              ) : (
                <EmptyState
                  icon={IconKeyOff}
                  title="All legacy keys are revoked"
                  text="Nobody can use the v1 API any more."
                />
              )}
            </>
          );
        }}
      </Loaded>
      {revoking && <RevokeLegacyKeyDialog legacyKey={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  );
}

function byLastUse(a: OperatorLegacyKey, b: OperatorLegacyKey): number {
  return (b.last_used ?? "").localeCompare(a.last_used ?? "");
}

interface LegacyKeysTableProps {
  keys: OperatorLegacyKey[];
  onRevoke: (key: OperatorLegacyKey) => void;
}

function LegacyKeysTable({ keys, onRevoke }: LegacyKeysTableProps) {
  const { role } = useAccount();
  const organizations = useQuery(organizationsQuery);
  const names = new Map(organizations.data?.map(({ id, name }) => [id, name]));
  return (
    <TableCard label="Legacy keys" minWidth={820}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Organization</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th>Databases</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th w={96}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Td>
              <Text fw={500}>{key.name}</Text>
            </Table.Td>
            <Table.Td>
              {key.organization_id ? (
                (names.get(key.organization_id) ?? key.organization_id)
              ) : (
                <Text c="dimmed">None</Text>
              )}
            </Table.Td>
            <Table.Td>
              <StatusBadge tone={key.revoked ? "bad" : "good"}>{key.revoked ? "Revoked" : "Active"}</StatusBadge>
            </Table.Td>
            <Table.Td maw={260}>
              <Text truncate title={key.database_ids.join(", ")}>
                {key.database_ids.join(", ") || "None"}
              </Text>
            </Table.Td>
            <Table.Td>{key.last_used ? <Time value={key.last_used} /> : <Text c="dimmed">Never</Text>}</Table.Td>
            <Table.Td>
              <Time value={key.created} show="date" />
            </Table.Td>
            <Table.Td>
              {!key.revoked && isManagerRole(role) && (
                <Button variant="default" size="xs" onClick={() => onRevoke(key)} aria-label={`Revoke ${key.name}`}>
                  Revoke
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
}
