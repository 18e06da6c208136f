import type { IssuedWebhook, Webhook } from "@dbdepot/contract/v2/webhooks";
import { Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../components/form-dialog.tsx";
import { WEBHOOKS_KEY, type WebhookSource } from "./webhook-source.ts";

interface RotateDialogProps {
  source: WebhookSource;
  webhook: Webhook;
  onClose: () => void;
  onRotated: (issued: IssuedWebhook) => void;
}

export function RotateDialog({ source, webhook, onClose, onRotated }: RotateDialogProps) {
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => source.rotate(webhook.id),
    onSuccess: async (issued) => {
      await queryClient.invalidateQueries({ queryKey: [WEBHOOKS_KEY] });
      onRotated(issued);
    },
  });
  return (
    <FormDialog
      title="Rotate the secret"
      submitLabel="Rotate secret"
      mutation={rotate}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <Text>
        The webhook gets a new secret. For 24 hours, requests are signed with both, so that you can switch without
        losing an event.
      </Text>
    </FormDialog>
  );
}
