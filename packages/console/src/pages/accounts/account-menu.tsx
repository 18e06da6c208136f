import type { ConsoleAccount, Role, UpdateAccountRequest } from "@dbdepot/contract/console/accounts";
import { Menu } from "@mantine/core";
import {
  IconBuilding,
  IconDownload,
  IconEraser,
  IconFingerprint,
  IconLink,
  IconTrash,
  IconUserCheck,
  IconUserOff,
  IconUserShield,
} from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { ActionsMenu, MenuAction } from "../../components/actions-menu.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { ROLE_NAMES } from "../../components/roles.ts";
import type { AccountAction } from "./actions.ts";
import { ACCOUNTS_KEY, accountsApi } from "./api.ts";

/** The other role of the same kind of account. */
const OTHER_ROLE: Record<Role, Role> = {
  admin: "viewer",
  viewer: "admin",
  operator: "operator_viewer",
  operator_viewer: "operator",
};

interface AccountMenuProps {
  account: ConsoleAccount;
  onAction: (action: AccountAction) => void;
}

export function AccountMenu({ account, onAction }: AccountMenuProps) {
  const { id, email, name, role, state } = account;
  const isOperator = isOperatorRole(useAccount().role);
  const queryClient = useQueryClient();
  const update = useMutation({
    mutationFn: (change: UpdateAccountRequest) => accountsApi.update(id, change),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      showSuccess(`${name || email} has been updated.`);
    },
    onError: showError,
  });
  const issueLink = useMutation({
    mutationFn: () => accountsApi.issueLink(id),
    onSuccess: ({ purpose, link, expires, mail }) =>
      onAction({ kind: "link", link: { email, purpose, url: link, expires, mail } }),
    onError: showError,
  });
  const isDisabled = state === "disabled";
  return (
    <ActionsMenu subject={name || email} width={250}>
      <MenuAction icon={IconUserShield} onClick={() => update.mutate({ role: OTHER_ROLE[role] })}>
        Change role to {ROLE_NAMES[OTHER_ROLE[role]].toLowerCase()}
      </MenuAction>
      {!isDisabled && (
        <MenuAction icon={IconLink} onClick={() => issueLink.mutate()}>
          {state === "invited" ? "New invitation link" : "Password reset link"}
        </MenuAction>
      )}
      {isOperator && state === "active" && (
        <MenuAction icon={IconFingerprint} onClick={() => onAction({ kind: "reset-two-factor", account })}>
          Reset second factor
        </MenuAction>
      )}
      {isOperator && account.organization && (
        <MenuAction icon={IconBuilding} onClick={() => onAction({ kind: "move", account })}>
          Move to another organization
        </MenuAction>
      )}
      {isOperator && (
        <MenuAction icon={IconDownload} onClick={() => window.location.assign(accountsApi.personalDataUrl(id))}>
          Export data
        </MenuAction>
      )}
      <Menu.Divider />
      {isDisabled ? (
        <MenuAction icon={IconUserCheck} onClick={() => update.mutate({ disabled: false })}>
          Enable
        </MenuAction>
      ) : (
        <MenuAction icon={IconUserOff} isDangerous onClick={() => onAction({ kind: "disable", account })}>
          Disable
        </MenuAction>
      )}
      {isOperator && (
        <MenuAction icon={IconTrash} isDangerous onClick={() => onAction({ kind: "delete", account })}>
          Delete
        </MenuAction>
      )}
      {isOperator && (
        <MenuAction icon={IconEraser} isDangerous onClick={() => onAction({ kind: "erase", account })}>
          Erase person
        </MenuAction>
      )}
    </ActionsMenu>
  );
}
