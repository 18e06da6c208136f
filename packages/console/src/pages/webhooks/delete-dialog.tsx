import type { Webhook } from "@dbdepot/contract/v2/webhooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { WEBHOOKS_KEY, type WebhookSource } from "./webhook-source.ts";

interface DeleteDialogProps {
  source: WebhookSource;
  webhook: Webhook;
  onClose: () => void;
}

export function DeleteDialog({ source, webhook, onClose }: DeleteDialogProps) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => source.remove(webhook.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [WEBHOOKS_KEY] });
      showSuccess("The webhook has been deleted.");
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      title="Delete the webhook?"
      confirmLabel="Delete webhook"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <code style={{ overflowWrap: "anywhere" }}>{webhook.url}</code> gets no more events, and the log of its deliveries
      is deleted. This can't be undone. To pause it, disable it instead.
    </ConfirmDialog>
  );
}
