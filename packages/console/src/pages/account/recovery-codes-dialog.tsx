import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconDownload, IconEyeOff } from "@tabler/icons-react";
import { CodeBlock } from "../../components/code-block.tsx";

/** The only time that the codes are shown. Neither Escape nor a click outside closes it by accident. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = codes.join("\n");
  return (
    <Modal
      opened
      onClose={onClose}
      title="Your recovery codes"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="lg">
        <Alert variant="light" color="yellow" icon={<IconEyeOff />}>
          <Text c="var(--mantine-color-text)">
            Store these codes now, away from your devices. Each signs you in once if you lose your passkeys. We keep
            only their hashes, so they can't be shown again.
          </Text>
        </Alert>
        <CodeBlock code={text} label="Copy the codes" />
        <Group justify="space-between">
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.8} />}
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
            download="recovery-codes.txt"
          >
            Download
          </Button>
          <Button onClick={onClose}>I have stored them</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
