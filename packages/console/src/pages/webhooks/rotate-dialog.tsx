import type { IssuedWebhook, Webhook } from "@dbdepot/contract/v2/webhooks";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormError } from "../../components/form-error.tsx";
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
    <Modal opened onClose={onClose} title="Rotate the secret" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="lg">
        <FormError error={rotate.error} />
        <Text>
          The webhook gets a new secret. For 24 hours, requests are signed with both, so that you can switch without
          losing an event.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
            Rotate secret
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
