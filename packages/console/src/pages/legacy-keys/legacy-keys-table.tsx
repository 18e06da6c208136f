import type { OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import { Button, Table, Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import { RevokeLegacyKeyDialog } from "./revoke-dialog.tsx";

interface LegacyKeysTableProps {
  keys: OperatorLegacyKey[];
  /** By id. Without them, the table has no column for the organization. */
  organizationNames?: ReadonlyMap<string, string>;
}

export function LegacyKeysTable({ keys, organizationNames }: LegacyKeysTableProps) {
  const { role } = useAccount();
  const [revoking, setRevoking] = useState<OperatorLegacyKey>();
  return (
    <>
      <TableCard label="Legacy keys" minWidth={organizationNames ? 820 : 640} stacks>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            {organizationNames && <Table.Th>Organization</Table.Th>}
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
              {organizationNames && (
                <Table.Td data-label="Organization">
                  {key.organization_id ? (
                    (organizationNames.get(key.organization_id) ?? key.organization_id)
                  ) : (
                    <Text c="dimmed">None</Text>
                  )}
                </Table.Td>
              )}
              <Table.Td data-label="Status">
                <StatusBadge tone={key.revoked ? "bad" : "good"}>{key.revoked ? "Revoked" : "Active"}</StatusBadge>
              </Table.Td>
              <Table.Td data-label="Databases" maw={260}>
                <Text truncate title={key.database_ids.join(", ")}>
                  {key.database_ids.join(", ") || "None"}
                </Text>
              </Table.Td>
              <Table.Td data-label="Last used">
                {key.last_used ? <Time value={key.last_used} /> : <Text c="dimmed">Never</Text>}
              </Table.Td>
              <Table.Td data-label="Created">
                <Time value={key.created} show="date" />
              </Table.Td>
              <Table.Td data-actions>
                {!key.revoked && isManagerRole(role) && (
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => setRevoking(key)}
                    aria-label={`Revoke ${key.name}`}
                  >
                    Revoke
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </TableCard>
      {revoking && <RevokeLegacyKeyDialog legacyKey={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}
