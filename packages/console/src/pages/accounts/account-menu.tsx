import type { ConsoleAccount, Role, UpdateAccountRequest } from "@dbdepot/contract/console/accounts";
import { ActionIcon, Menu } from "@mantine/core";
import {
  IconBuilding,
  IconDots,
  IconLink,
  IconTrash,
  IconUserCheck,
  IconUserOff,
  IconUserShield,
} from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { showError, showSuccess } from "../../components/notices.ts";
import { ROLE_NAMES } from "../../components/roles.ts";
import type { AccountAction } from "./actions.ts";
import { accountsQuery } from "./queries.ts";

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
    mutationFn: (change: UpdateAccountRequest) => api.updateAccount(id, change),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: accountsQuery.queryKey });
      showSuccess(`${name || email} has been updated.`);
    },
    onError: showError,
  });
  const issueLink = useMutation({
    mutationFn: () => api.issueLink(id),
    onSuccess: ({ purpose, link, expires, mailed }) =>
      onAction({ kind: "link", link: { email, purpose, url: link, expires, isMailed: mailed } }),
    onError: showError,
  });
  const isDisabled = state === "disabled";
  return (
    <Menu position="bottom-end" shadow="md" width={250}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name || email}`}>
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconUserShield size={16} stroke={1.6} />}
          onClick={() => update.mutate({ role: OTHER_ROLE[role] })}
        >
          Change role to {ROLE_NAMES[OTHER_ROLE[role]].toLowerCase()}
        </Menu.Item>
        {!isDisabled && (
          <Menu.Item leftSection={<IconLink size={16} stroke={1.6} />} onClick={() => issueLink.mutate()}>
            {state === "invited" ? "New invitation link" : "Password reset link"}
          </Menu.Item>
        )}
        {isOperator && account.organization && (
          <Menu.Item
            leftSection={<IconBuilding size={16} stroke={1.6} />}
            onClick={() => onAction({ kind: "move", account })}
          >
            Move to another organization
          </Menu.Item>
        )}
        <Menu.Divider />
        {isDisabled ? (
          <Menu.Item
            leftSection={<IconUserCheck size={16} stroke={1.6} />}
            onClick={() => update.mutate({ disabled: false })}
          >
            Enable
          </Menu.Item>
        ) : (
          <Menu.Item
            color="red"
            leftSection={<IconUserOff size={16} stroke={1.6} />}
            onClick={() => onAction({ kind: "disable", account })}
          >
            Disable
          </Menu.Item>
        )}
        {isOperator && (
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} stroke={1.6} />}
            onClick={() => onAction({ kind: "delete", account })}
          >
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
