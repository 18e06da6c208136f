import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { CodeBlock } from "../../components/code-block.tsx";
import { Time } from "../../components/time.tsx";
import type { Link } from "./actions.ts";

/** Shows a one-time link. If no mail server is configured, people have to forward it themselves. */
export function LinkDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const noun = link.purpose === "invitation" ? "invitation" : "password reset link";
  return (
    <Modal
      opened
      onClose={onClose}
      title={link.purpose === "invitation" ? `Invitation for ${link.email}` : `Password reset for ${link.email}`}
      closeOnClickOutside={false}
    >
      <Stack gap="lg">
        <Text>
          {link.isMailed
            ? `We have sent the ${noun} by e-mail.${link.url ? " You can also pass this link on yourself." : ""}`
            : `Pass this link on to ${link.email}. It isn't sent by e-mail, and it is shown only now.`}{" "}
          It works once, until <Time value={link.expires} show="full" />.
        </Text>
        {link.url && <CodeBlock code={link.url} label="Copy the link" />}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
