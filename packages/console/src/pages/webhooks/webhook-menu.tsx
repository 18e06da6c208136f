import type { Webhook } from "@dbdepot/contract/v2/webhooks";
import { ActionIcon, Menu } from "@mantine/core";
import {
  IconDots,
  IconListDetails,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { showError, showSuccess } from "../../components/notices.ts";
import type { WebhookAction } from "./actions.ts";
import { WEBHOOKS_KEY, type WebhookSource } from "./webhook-source.ts";

interface WebhookMenuProps {
  source: WebhookSource;
  webhook: Webhook;
  canChange: boolean;
  onAction: (action: WebhookAction) => void;
}

export function WebhookMenu({ source, webhook, canChange, onAction }: WebhookMenuProps) {
  const queryClient = useQueryClient();
  const switchOver = useMutation({
    mutationFn: () => source.update(webhook.id, { enabled: !webhook.enabled }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [WEBHOOKS_KEY] });
      showSuccess(webhook.enabled ? "No more events are sent." : "Events are sent from now on.");
    },
    onError: showError,
  });
  const open = (kind: "edit" | "deliveries" | "rotate" | "delete") => () => onAction({ kind, webhook });
  const SwitchIcon = webhook.enabled ? IconPlayerPause : IconPlayerPlay;
  return (
    <Menu position="bottom-end" shadow="md" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${webhook.url}`}>
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconListDetails size={16} stroke={1.6} />} onClick={open("deliveries")}>
          {canChange ? "Deliveries and test" : "Deliveries"}
        </Menu.Item>
        {canChange && (
          <>
            <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={open("edit")}>
              Edit
            </Menu.Item>
            <Menu.Item leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={open("rotate")}>
              Rotate secret
            </Menu.Item>
            <Menu.Item leftSection={<SwitchIcon size={16} stroke={1.6} />} onClick={() => switchOver.mutate()}>
              {webhook.enabled ? "Disable" : "Enable"}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={open("delete")}>
              Delete
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
