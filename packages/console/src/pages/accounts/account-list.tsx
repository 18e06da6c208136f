import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import type { SessionAccount } from "@dbdepot/contract/console/sessions";
import { Avatar, Group, Text } from "@mantine/core";
import { IconSearch, IconUsers } from "@tabler/icons-react";
import { isManagerRole, isOperatorRole, useAccount } from "../../app/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ListControls, useList } from "../../components/list.tsx";
import { ROLE_NAMES } from "../../components/roles.ts";
import { StatusBadge, type Tone } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { LastTime } from "../../components/time.tsx";
import { AccountMenu } from "./account-menu.tsx";
import type { AccountAction } from "./actions.ts";
import { ACCOUNTS_KEY, accountsApi } from "./api.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { DisableDialog } from "./disable-dialog.tsx";
import { EraseDialog } from "./erase-dialog.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { ResetTwoFactorDialog } from "./reset-two-factor-dialog.tsx";

interface AccountListProps {
  /** Undefined to list everyone the person may see. */
  organization?: NonNullable<SessionAccount["organization"]>;
  action: AccountAction | undefined;
  onAction: (action: AccountAction | undefined) => void;
}

/** Lists people, with the actions for their accounts. */
export function AccountList({ organization, action, onAction }: AccountListProps) {
  const me = useAccount();
  const list = useList({
    queryKey: [...ACCOUNTS_KEY, organization?.id],
    source: accountsApi.list,
    filter: { org: organization?.id },
    defaultSort: "name",
  });
  const close = () => onAction(undefined);
  return (
    <>
      <ListControls
        list={list}
        noun="account"
        placeholder={
          organization || me.organization ? "Search by name or address" : "Search by name, address or organization"
        }
      />
      <DataTable
        label="Accounts"
        {...list.table}
        columns={columnsFor(me)}
        actions={(account) =>
          isManagerRole(me.role) && account.id !== me.id && <AccountMenu account={account} onAction={onAction} />
        }
        empty={
          list.isSearch ? (
            <EmptyState icon={IconSearch} title="No account matches" text="Try another word." />
          ) : (
            <EmptyState icon={IconUsers} title="No accounts" text="Invite someone to get started." />
          )
        }
      />
      {/* Whether it is the first invitation is known once the list is loaded. */}
      {action?.kind === "invite" && (list.table.query.data || list.table.query.error) && (
        <InviteDialog
          me={me}
          organization={organization}
          isFirst={!list.isSearch && list.table.query.data?.length === 0}
          onClose={close}
          onInvited={(link) => onAction({ kind: "link", link })}
        />
      )}
      {action?.kind === "disable" && <DisableDialog account={action.account} onClose={close} />}
      {action?.kind === "reset-two-factor" && <ResetTwoFactorDialog account={action.account} onClose={close} />}
      {action?.kind === "move" && <MoveDialog account={action.account} onClose={close} />}
      {action?.kind === "delete" && <DeleteDialog account={action.account} onClose={close} />}
      {action?.kind === "erase" && <EraseDialog account={action.account} onClose={close} />}
      {action?.kind === "link" && <LinkDialog link={action.link} onClose={close} />}
    </>
  );
}

const STATES: Record<ConsoleAccount["state"], { label: string; tone: Tone }> = {
  active: { label: "Active", tone: "good" },
  invited: { label: "Invited", tone: "warning" },
  disabled: { label: "Disabled", tone: "neutral" },
};

function columnsFor(me: SessionAccount): (Column<ConsoleAccount> | false)[] {
  return [
    {
      heading: "Person",
      sort: "name",
      min: 240,
      cell: (account) => <Person account={account} isMe={account.id === me.id} />,
    },
    isOperatorRole(me.role) && {
      heading: "Organization",
      sort: "organization",
      cell: ({ organization }) => organization?.name ?? "Operator",
    },
    { heading: "Role", sort: "role", w: 150, priority: 3, cell: ({ role }) => ROLE_NAMES[role] },
    {
      heading: "Status",
      w: 130,
      cell: ({ state }) => <StatusBadge tone={STATES[state].tone}>{STATES[state].label}</StatusBadge>,
    },
    {
      heading: "Last sign-in",
      sort: "-last_sign_in",
      w: 160,
      cell: ({ last_sign_in }) => <LastTime value={last_sign_in} />,
    },
  ];
}

function Person({ account: { name, email }, isMe }: { account: ConsoleAccount; isMe: boolean }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar size={32} radius="xl" name={name || email} color="accent" alt="" aria-hidden />
      <div>
        <TwoLines detail={name && email}>
          {name || email}
          {isMe && (
            <Text span c="dimmed" fw={400}>
              {" "}
              (you)
            </Text>
          )}
        </TwoLines>
      </div>
    </Group>
  );
}
