import type { ApiKey } from "@dbdepot/contract/iam/keys";
import { ActionIcon, Menu, Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { IconBan, IconDots, IconPencil, IconRefresh } from "@tabler/icons-react";
import { describeActor } from "../../components/actor.ts";
import { plural } from "../../components/format.ts";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import type { KeyAction } from "./actions.ts";
import type { RingKey } from "./keyring.ts";
import { isUsable, KeyState } from "./state.tsx";

interface KeysTableProps {
  keys: RingKey[];
  /** Undefined: the person may only look. */
  onAction: ((action: KeyAction) => void) | undefined;
}

export function KeysTable({ keys, onAction }: KeysTableProps) {
  return (
    <TableCard label="API keys" minWidth={860} stacks>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th>May</Table.Th>
          <Table.Th>Restrictions</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th w={56}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Td maw={260}>
              <div style={{ minWidth: 0 }}>
                <Text fw={500} truncate>
                  {key.name}
                </Text>
                <Text size="sm" c="dimmed">
                  <code>{key.key_prefix}_…</code>
                </Text>
              </div>
            </Table.Td>
            <Table.Td data-label="Status">
              <KeyState apiKey={key} />
            </Table.Td>
            <Table.Td data-label="May">
              <Stack gap={2}>
                {key.allowed_scopes.length === 0 && <Text c="dimmed">Nothing</Text>}
                {key.allowed_scopes.map((scope) => (
                  <Text key={scope}>{SCOPE_NAMES[scope] ?? scope}</Text>
                ))}
              </Stack>
            </Table.Td>
            <Table.Td data-label="Restrictions">
              <Restrictions apiKey={key} />
            </Table.Td>
            <Table.Td data-label="Last used">
              {key.last_used ? <Time value={key.last_used} /> : <Text c="dimmed">Never</Text>}
            </Table.Td>
            <Table.Td data-label="Created">
              <Time value={key.created} show="date" />
              {key.created_by && (
                <Text size="sm" c="dimmed" truncate maw={200} title={describeActor(key.created_by)}>
                  by {describeActor(key.created_by)}
                </Text>
              )}
            </Table.Td>
            <Table.Td data-actions>{!key.revoked && onAction && <KeyMenu apiKey={key} onAction={onAction} />}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
}

const SCOPE_NAMES: Record<string, string> = {
  "db.download": "Download",
  "apikeys.manage": "Manage keys",
  "account.read": "Read account",
  "apikeys.read": "List keys",
  "org.read": "Read organization",
};

function Restrictions({ apiKey: { allowed_cidrs: cidrs, expires } }: { apiKey: ApiKey }) {
  if (cidrs.length === 0 && !expires) return <Text c="dimmed">None</Text>;
  return (
    <Stack gap={2}>
      {cidrs.length > 0 && (
        <Text title={cidrs.join(", ")}>{cidrs.length === 1 ? cidrs[0] : plural(cidrs.length, "network")}</Text>
      )}
      {expires && (
        <Text>
          {Date.parse(expires) > Date.now() ? "Expires" : "Expired"} <Time value={expires} show="date" />
        </Text>
      )}
    </Stack>
  );
}

function KeyMenu({ apiKey, onAction }: { apiKey: ApiKey; onAction: (action: KeyAction) => void }) {
  return (
    <Menu position="bottom-end" shadow="md" width={180}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.name}`}>
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconPencil size={16} stroke={1.6} />}
          onClick={() => onAction({ kind: "edit", key: apiKey })}
        >
          Edit
        </Menu.Item>
        {isUsable(apiKey) && (
          <Menu.Item
            leftSection={<IconRefresh size={16} stroke={1.6} />}
            onClick={() => onAction({ kind: "rotate", key: apiKey })}
          >
            Rotate
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconBan size={16} stroke={1.6} />}
          onClick={() => onAction({ kind: "revoke", key: apiKey })}
        >
          Revoke
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
