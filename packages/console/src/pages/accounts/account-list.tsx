import type { SessionAccount } from "@dbdepot/contract/console/sessions";
import { IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../../app/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { AccountsTable } from "./accounts-table.tsx";
import type { AccountAction } from "./actions.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { DisableDialog } from "./disable-dialog.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { accountsOf, accountsQuery } from "./queries.ts";

interface AccountListProps {
  /** Undefined: everyone whom the person may see. */
  organization?: NonNullable<SessionAccount["organization"]>;
  action: AccountAction | undefined;
  onAction: (action: AccountAction | undefined) => void;
}

/** People with everything that can be done about their accounts. */
export function AccountList({ organization, action, onAction }: AccountListProps) {
  const me = useAccount();
  const accounts = useQuery(organization ? accountsOf(organization.id) : accountsQuery);
  const close = () => onAction(undefined);
  return (
    <>
      <Loaded
        query={accounts}
        isEmpty={(all) => all.length === 0}
        empty={<EmptyState icon={IconUsers} title="No accounts" text="Invite someone to get started." />}
      >
        {(all) => <AccountsTable accounts={all} me={me} onAction={onAction} />}
      </Loaded>
      {action?.kind === "invite" && (
        <InviteDialog
          me={me}
          organization={organization}
          onClose={close}
          onInvited={(link) => onAction({ kind: "link", link })}
        />
      )}
      {action?.kind === "disable" && <DisableDialog account={action.account} onClose={close} />}
      {action?.kind === "move" && <MoveDialog account={action.account} onClose={close} />}
      {action?.kind === "delete" && <DeleteDialog account={action.account} onClose={close} />}
      {action?.kind === "link" && <LinkDialog link={action.link} onClose={close} />}
    </>
  );
}
