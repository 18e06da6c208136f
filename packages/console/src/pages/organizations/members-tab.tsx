import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Group, Stack } from "@mantine/core";
import { useState } from "react";
import { AccountList } from "../accounts/account-list.tsx";
import { InviteButton } from "../accounts/accounts.tsx";
import type { AccountAction } from "../accounts/actions.ts";

interface MembersTabProps {
  organization: OperatorOrganization;
  canChange: boolean;
}

export function MembersTab({ organization: { id, account_id, name }, canChange }: MembersTabProps) {
  const [action, setAction] = useState<AccountAction>();
  return (
    <Stack gap="md">
      {canChange && (
        <Group justify="flex-end">
          <InviteButton onClick={() => setAction({ kind: "invite" })} />
        </Group>
      )}
      <AccountList organization={{ id, account_id, name }} action={action} onAction={setAction} />
    </Stack>
  );
}
