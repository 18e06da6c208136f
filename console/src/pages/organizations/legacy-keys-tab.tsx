import type { OperatorLegacyKey, OperatorOrganization } from "@dbdepot/contract/operator";
import { Table, Text } from "@mantine/core";
import { IconKeyOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";

export function LegacyKeysTab({ organization: { id, name } }: { organization: OperatorOrganization }) {
  const keys = useQuery({ queryKey: ["legacy-keys", id], queryFn: () => api.legacyKeysOf(id) });
  return (
    <Loaded
      query={keys}
      isEmpty={({ legacy_keys }) => legacy_keys.length === 0}
      empty={<EmptyState icon={IconKeyOff} title="No legacy keys" text={`${name} has no key for the v1 API.`} />}
    >
      {({ legacy_keys }) => <LegacyKeysTable keys={legacy_keys} />}
    </Loaded>
  );
}

function LegacyKeysTable({ keys }: { keys: OperatorLegacyKey[] }) {
  return (
    <TableCard label="Legacy keys" minWidth={640}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th>Databases</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Created</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map(({ id, name, revoked, database_ids, last_used, created }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Text fw={500}>{name}</Text>
            </Table.Td>
            <Table.Td>
              <StatusBadge tone={revoked ? "bad" : "good"}>{revoked ? "Revoked" : "Active"}</StatusBadge>
            </Table.Td>
            <Table.Td>{database_ids.join(", ")}</Table.Td>
            <Table.Td>{last_used ? <Time value={last_used} /> : <Text c="dimmed">Never</Text>}</Table.Td>
            <Table.Td>
              <Time value={created} show="date" />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
}
