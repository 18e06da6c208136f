import type { IssuedWebhook } from "@dbdepot/contract/v2/webhooks";
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconEyeOff } from "@tabler/icons-react";
import { CodeBlock } from "../../components/code-block.tsx";

interface SecretDialogProps {
  issued: IssuedWebhook;
  isRotation: boolean;
  onClose: () => void;
}

/** The only time that the secret is shown. Neither Escape nor a click outside closes it by accident. */
export function SecretDialog({ issued, isRotation, onClose }: SecretDialogProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={isRotation ? "The new secret" : "The webhook is ready"}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="lg">
        <Alert variant="light" color="yellow" icon={<IconEyeOff />}>
          <Text c="var(--mantine-color-text)">Store the secret now. It isn't shown again.</Text>
        </Alert>
        <CodeBlock code={issued.secret} label="Copy the secret" />
        <Text c="dimmed">
          Your receiver verifies with it that requests come from this service. They follow Standard Webhooks, for which
          most languages have a library.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have stored it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
