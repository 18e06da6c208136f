import { Button } from "@mantine/core";
import { IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useOpens } from "../../app/opens.ts";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { Page } from "../../components/page.tsx";
import { AccountList } from "./account-list.tsx";
import type { AccountAction } from "./actions.ts";

export function Team() {
  const { organization } = useAccount();
  return <People title="Team" description={`People of ${organization?.name} who can sign in to this console.`} />;
}

export function Accounts() {
  return <People title="Accounts" description="Everyone who can sign in: your own people and your customers'." />;
}

function People({ title, description }: { title: string; description: string }) {
  const [action, setAction] = useState<AccountAction>();
  useOpens("invite", () => setAction({ kind: "invite" }));
  return (
    <Page
      title={title}
      description={description}
      actions={<InviteButton onClick={() => setAction({ kind: "invite" })} />}
    >
      <AccountList action={action} onAction={setAction} />
    </Page>
  );
}

export function InviteButton({ onClick }: { onClick: () => void }) {
  const me = useAccount();
  if (!isManagerRole(me.role)) return null;
  return (
    <Button leftSection={<IconUserPlus size={16} stroke={1.8} />} onClick={onClick}>
      Invite
    </Button>
  );
}
