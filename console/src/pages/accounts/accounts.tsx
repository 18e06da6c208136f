import type { SessionAccount } from "@dbdepot/contract/console";
import { Button } from "@mantine/core";
import { IconUserPlus, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { AccountsTable } from "./accounts-table.tsx";
import type { AccountAction } from "./actions.ts";
import { DisableDialog } from "./disable-dialog.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { accountsQuery } from "./queries.ts";

export function Team() {
  const { organization } = useAccount();
  return <People title="Team" description={`People of ${organization?.name} who can sign in to this console.`} />;
}

export function Accounts() {
  return <People title="Accounts" description="Everyone who can sign in: your own people and your customers'." />;
}

function People({ title, description }: { title: string; description: string }) {
  const me = useAccount();
  const accounts = useQuery(accountsQuery);
  const [action, setAction] = useState<AccountAction>();
  const close = () => setAction(undefined);
  return (
    <Page
      title={title}
      description={description}
      actions={<InviteButton me={me} onClick={() => setAction({ kind: "invite" })} />}
    >
      <Loaded
        query={accounts}
        isEmpty={(all) => all.length === 0}
        empty={<EmptyState icon={IconUsers} title="No accounts" text="Invite someone to get started." />}
      >
        {(all) => <AccountsTable accounts={all} me={me} onAction={setAction} />}
      </Loaded>
      {action?.kind === "invite" && (
        <InviteDialog me={me} onClose={close} onInvited={(link) => setAction({ kind: "link", link })} />
      )}
      {action?.kind === "disable" && <DisableDialog account={action.account} onClose={close} />}
      {action?.kind === "link" && <LinkDialog link={action.link} onClose={close} />}
    </Page>
  );
}

function InviteButton({ me, onClick }: { me: SessionAccount; onClick: () => void }) {
  if (!isManagerRole(me.role)) return null;
  return (
    <Button leftSection={<IconUserPlus size={16} stroke={1.8} />} onClick={onClick}>
      Invite
    </Button>
  );
}
