import type { CreatedKey } from "@dbdepot/contract/iam/keys";
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconDownload, IconEyeOff } from "@tabler/icons-react";
import { useSession } from "../../app/session.ts";
import { CodeBlock } from "../../components/code-block.tsx";

interface SecretDialogProps {
  created: CreatedKey;
  isRotation: boolean;
  onClose: () => void;
}

/** The only time that the secret is shown. Neither Escape nor a click outside closes it by accident. */
export function SecretDialog({ created, isRotation, onClose }: SecretDialogProps) {
  const { api_url } = useSession();
  const envFile = `DBDEPOT_CLIENT_URL=${api_url}\nDBDEPOT_CLIENT_KEY=${created.key}\n`;
  return (
    <Modal
      opened
      onClose={onClose}
      title={isRotation ? `New secret for ${created.name}` : `${created.name} is ready`}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="lg">
        <Alert variant="light" color="yellow" icon={<IconEyeOff />}>
          <Text c="var(--mantine-color-text)">
            Store the key now. We keep only a hash of it, so it can't be shown again.
          </Text>
        </Alert>
        <CodeBlock code={created.key} label="Copy the key" />
        <Group justify="space-between">
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.8} />}
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(envFile)}`}
            download="dbdepot.env"
          >
            Download as .env
          </Button>
          <Button onClick={onClose}>I have stored it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
