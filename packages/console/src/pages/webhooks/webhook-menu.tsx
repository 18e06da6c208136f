import type { Webhook } from "@dbdepot/contract/v2/webhooks";
import { Menu } from "@mantine/core";
import {
  IconListDetails,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ActionsMenu, MenuAction } from "../../components/actions-menu.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import type { WebhookAction } from "./actions.ts";
import { deliveriesPage, WEBHOOKS_KEY, type WebhookSource } from "./webhook-source.ts";

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
  const navigate = useNavigate();
  const open = (kind: "edit" | "rotate" | "delete") => () => onAction({ kind, webhook });
  return (
    <ActionsMenu subject={webhook.url} width={200}>
      <MenuAction icon={IconListDetails} onClick={() => void navigate(deliveriesPage(source, webhook.id))}>
        {canChange ? "Deliveries and test" : "Deliveries"}
      </MenuAction>
      {canChange && (
        <>
          <MenuAction icon={IconPencil} onClick={open("edit")}>
            Edit
          </MenuAction>
          <MenuAction icon={IconRefresh} onClick={open("rotate")}>
            Rotate secret
          </MenuAction>
          <MenuAction icon={webhook.enabled ? IconPlayerPause : IconPlayerPlay} onClick={() => switchOver.mutate()}>
            {webhook.enabled ? "Disable" : "Enable"}
          </MenuAction>
          <Menu.Divider />
          <MenuAction icon={IconTrash} isDangerous onClick={open("delete")}>
            Delete
          </MenuAction>
        </>
      )}
    </ActionsMenu>
  );
}
