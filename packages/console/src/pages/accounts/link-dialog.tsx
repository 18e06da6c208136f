import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { CodeBlock } from "../../components/code-block.tsx";
import { Time } from "../../components/time.tsx";
import type { Link } from "./actions.ts";

/** Shows a one-time link. If no mail server is configured, people have to forward it themselves. */
export function LinkDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={link.purpose === "invitation" ? `Invitation for ${link.email}` : `Password reset for ${link.email}`}
      closeOnClickOutside={false}
    >
      <Stack gap="lg">
        <Text>
          {explanationOf(link)} It works once, until <Time value={link.expires} show="full" />.
        </Text>
        {link.url && <CodeBlock code={link.url} label="Copy the link" />}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Says whether the person gets a link by e-mail, or has to be told. */
function explanationOf({ purpose, email, url, mail }: Link): string {
  const noun = purpose === "invitation" ? "invitation" : "password reset link";
  const also = url ? " You can also pass this link on yourself." : "";
  const reason = mail?.error ? ` (${mail.error})` : "";
  switch (mail?.state) {
    case "sent":
      return `We have sent the ${noun} by e-mail.${also}`;
    case "waiting":
      return `The mail server has not accepted the ${noun} yet${reason}. We will try again for up to three days.${also}`;
    case "unknown":
      return `The connection to the mail server ended${reason}, so the ${noun} may not have arrived.${also}`;
    default:
      return `Pass this link on to ${email}. It isn't sent by e-mail${reason}, and it is shown only now.`;
  }
}
