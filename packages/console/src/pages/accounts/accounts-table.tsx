import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import type { SessionAccount } from "@dbdepot/contract/console/sessions";
import { Avatar, Group, Table, Text, VisuallyHidden } from "@mantine/core";
import { isManagerRole, isOperatorRole } from "../../app/session.ts";
import { ROLE_NAMES } from "../../components/roles.ts";
import { StatusBadge, type Tone } from "../../components/status-badge.tsx";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import { AccountMenu } from "./account-menu.tsx";
import type { AccountAction } from "./actions.ts";

interface AccountsTableProps {
  accounts: ConsoleAccount[];
  me: SessionAccount;
  onAction: (action: AccountAction) => void;
}

const STATES: Record<ConsoleAccount["state"], { label: string; tone: Tone }> = {
  active: { label: "Active", tone: "good" },
  invited: { label: "Invited", tone: "warning" },
  disabled: { label: "Disabled", tone: "neutral" },
};

export function AccountsTable({ accounts, me, onAction }: AccountsTableProps) {
  const showsOrganization = isOperatorRole(me.role);
  return (
    <TableCard label="Accounts" minWidth={720} stacks>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Person</Table.Th>
          {showsOrganization && <Table.Th>Organization</Table.Th>}
          <Table.Th>Role</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th>Last sign-in</Table.Th>
          <Table.Th w={56}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {accounts.map((account) => (
          <Table.Tr key={account.id}>
            <Table.Td>
              <Group gap="sm" wrap="nowrap">
                <Avatar size={32} radius="xl" name={account.name || account.email} color="accent" alt="" aria-hidden />
                <div>
                  <Text fw={500}>
                    {account.name || account.email}
                    {account.id === me.id && (
                      <Text span c="dimmed" fw={400}>
                        {" "}
                        (you)
                      </Text>
                    )}
                  </Text>
                  {account.name && (
                    <Text size="sm" c="dimmed">
                      {account.email}
                    </Text>
                  )}
                </div>
              </Group>
            </Table.Td>
            {showsOrganization && (
              <Table.Td data-label="Organization">{account.organization?.name ?? "Operator"}</Table.Td>
            )}
            <Table.Td data-label="Role">{ROLE_NAMES[account.role]}</Table.Td>
            <Table.Td data-label="Status">
              <StatusBadge tone={STATES[account.state].tone}>{STATES[account.state].label}</StatusBadge>
            </Table.Td>
            <Table.Td data-label="Last sign-in">
              {account.last_sign_in ? <Time value={account.last_sign_in} /> : <Text c="dimmed">Never</Text>}
            </Table.Td>
            <Table.Td data-actions>
              {isManagerRole(me.role) && account.id !== me.id && <AccountMenu account={account} onAction={onAction} />}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
}
