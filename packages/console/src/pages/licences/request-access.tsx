import { ACCESS_MESSAGE_MAX_LENGTH } from "@dbdepot/contract/console/licences";
import { Anchor, Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { IconCheck, IconMail } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { useAccount } from "../../app/session.ts";
import { FormError } from "../../components/form-error.tsx";
import { licencesQuery } from "./queries.ts";

interface RequestAccessProps {
  base: string;
  name: string;
  /** Whether the organization has or had a licence. */
  isRenewal?: boolean;
}

/** A button that asks the vendor for a licence. Once a request was sent, it says so until the page is loaded again. */
export function RequestAccess(props: RequestAccessProps) {
  const [isOpen, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const sentKey = ["access-requested", props.base];
  const { data: isSent = false } = useQuery<boolean>({ queryKey: sentKey, enabled: false, initialData: false });
  if (isSent && !isOpen) {
    return (
      <Group gap={6} wrap="nowrap">
        <IconCheck size={16} stroke={2} aria-hidden="true" />
        <Text size="sm">Requested</Text>
      </Group>
    );
  }
  return (
    <>
      <Button variant="default" leftSection={<IconMail size={16} stroke={1.6} />} onClick={() => setOpen(true)}>
        {props.isRenewal ? "Ask to renew" : "Request access"}
      </Button>
      {isOpen && (
        <RequestDialog
          {...props}
          onSent={() => queryClient.setQueryData(sentKey, true)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function RequestDialog(props: RequestAccessProps & { onSent: () => void; onClose: () => void }) {
  const { base, name, isRenewal, onSent, onClose } = props;
  const { email, organization } = useAccount();
  const [message, setMessage] = useState("");
  const request = useMutation({ mutationFn: () => api.requestAccess({ base, message }), onSuccess: onSent });
  return (
    <Modal
      opened
      onClose={onClose}
      title={isRenewal ? `Ask to renew ${name}` : `Request access to ${name}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {request.data ? (
        <Sent isMailed={request.data.mailed} onClose={onClose} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate();
          }}
        >
          <Stack gap="lg">
            <FormError error={request.error} />
            <Text>
              Your vendor decides about the licence. They see your e-mail address ({email}) and organization (
              {organization?.name}).
            </Text>
            <Textarea
              label="Message"
              description="Optional: what you need it for, for how long, or from when."
              autosize
              minRows={4}
              maxRows={10}
              maxLength={ACCESS_MESSAGE_MAX_LENGTH}
              value={message}
              onChange={({ currentTarget }) => setMessage(currentTarget.value)}
              data-autofocus
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={request.isPending}>
                Send request
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

function Sent({ isMailed, onClose }: { isMailed: boolean; onClose: () => void }) {
  const { email } = useAccount();
  const { data } = useQuery(licencesQuery);
  return (
    <Stack gap="lg">
      <Text role="status">
        {isMailed ? (
          `Your vendor has your request by e-mail. The answer comes to ${email}.`
        ) : (
          <>
            Your request is recorded and your vendor can see it, but this service could not notify them by e-mail.
            Please contact them as well
            {data?.contact && (
              <>
                : <Anchor href={`mailto:${data.contact}`}>{data.contact}</Anchor>
              </>
            )}
            .
          </>
        )}
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
