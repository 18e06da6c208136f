import type { CreatedKey } from "@dbdepot/contract/iam/keys";
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconDownload, IconEyeOff } from "@tabler/icons-react";
import { useSession } from "../../app/session.ts";
import { CodeBlock } from "../../components/code-block.tsx";

interface SecretDialogProps {
  created: CreatedKey;
  /** When the key stops working; null if never. */
  expires: string | null;
  isRotation: boolean;
  onClose: () => void;
}

/** The only time that the secret is shown. Neither Escape nor a click outside closes it by accident. */
export function SecretDialog({ created, expires, isRotation, onClose }: SecretDialogProps) {
  const { api_url } = useSession();
  const envFile = `DBDEPOT_CLIENT_URL=${api_url}\nDBDEPOT_CLIENT_KEY=${created.key}\n`;
  const profile = JSON.stringify({
    shareCredentialsVersion: 1,
    endpoint: `${api_url}/delta-sharing`,
    bearerToken: created.key,
    ...(expires !== null && { expirationTime: expires }),
  });
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
          <Group gap="sm">
            <Button
              component="a"
              variant="default"
              leftSection={<IconDownload size={16} stroke={1.8} />}
              href={`data:text/plain;charset=utf-8,${encodeURIComponent(envFile)}`}
              download="dbdepot.env"
            >
              Download as .env
            </Button>
            {created.allowed_scopes.includes("db.download") && (
              <Button
                component="a"
                variant="default"
                leftSection={<IconDownload size={16} stroke={1.8} />}
                href={`data:application/json;charset=utf-8,${encodeURIComponent(profile)}`}
                download="config.share"
              >
                Profile for Delta Sharing
              </Button>
            )}
          </Group>
          <Button onClick={onClose}>I have stored it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
