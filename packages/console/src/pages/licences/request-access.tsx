import type { AccessRequested, OwnRequest } from "@dbdepot/contract/console/licences";
import { ACCESS_MESSAGE_MAX_LENGTH } from "@dbdepot/contract/shared/choices";
import { Anchor, Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconCheck, IconMail, IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount } from "../../app/session.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { Time } from "../../components/time.tsx";
import { licencesApi, ownLicencesQuery, ownRequestsQuery } from "./api.ts";

interface RequestAccessProps {
  base: string;
  name: string;
  /** Whether the organization has or had a licence. */
  isRenewal?: boolean;
}

/** A button that asks the vendor for a licence, or what has become of the last request. */
export function RequestAccess(props: RequestAccessProps) {
  const [isOpen, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const { data } = useQuery(ownRequestsQuery);
  const last = data?.requests.find(({ base }) => base === props.base);
  const refresh = () => queryClient.invalidateQueries({ queryKey: ownRequestsQuery.queryKey });
  return (
    <Stack gap="xs" align="flex-start">
      {last && last.state !== "granted" && <LastRequest request={last} />}
      {(last?.state !== "pending" || isOpen) && (
        <Button variant="default" leftSection={<IconMail size={16} stroke={1.6} />} onClick={() => setOpen(true)}>
          {last?.state === "declined" ? "Ask again" : props.isRenewal ? "Ask to renew" : "Request access"}
        </Button>
      )}
      {isOpen && <RequestDialog {...props} onSent={refresh} onClose={() => setOpen(false)} />}
    </Stack>
  );
}

export function LastRequest({ request: { state, created, reply, decided, requested_by } }: { request: OwnRequest }) {
  const isPending = state === "pending";
  const Icon = state === "declined" ? IconX : IconCheck;
  return (
    <Stack gap={2} maw={420}>
      <Group gap={6} wrap="nowrap" align="flex-start">
        <Icon size={16} stroke={2} aria-hidden="true" style={{ flex: "none", marginTop: 2 }} />
        <Text size="sm">
          {isPending ? (
            <>
              Requested on <Time value={created} show="date" /> by {requested_by}. Your vendor has not answered yet.
            </>
          ) : (
            <>
              {state === "declined" ? "Declined" : "Granted"} on <Time value={decided ?? created} show="date" />
            </>
          )}
        </Text>
      </Group>
      {reply && (
        <Text size="sm" c="dimmed" pl={22} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          “{reply}”
        </Text>
      )}
    </Stack>
  );
}

function RequestDialog(props: RequestAccessProps & { onSent: () => void; onClose: () => void }) {
  const { base, name, isRenewal, onSent, onClose } = props;
  const { email, organization } = useAccount();
  const [message, setMessage] = useState("");
  const request = useMutation({ mutationFn: () => licencesApi.request({ base, message }), onSuccess: onSent });
  return (
    <FormDialog
      title={isRenewal ? `Ask to renew ${name}` : `Request access to ${name}`}
      submitLabel="Send request"
      mutation={request}
      onSubmit={() => request.mutate()}
      onClose={onClose}
      done={request.data && <Sent answer={request.data} onClose={onClose} />}
    >
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
    </FormDialog>
  );
}

function Sent({ answer, onClose }: { answer: AccessRequested; onClose: () => void }) {
  const { email } = useAccount();
  const { data } = useQuery(ownLicencesQuery);
  const { mail, already_pending, request } = answer;
  return (
    <Stack gap="lg">
      <Text role="status">
        {already_pending ? (
          <>
            {request.requested_by} asked on <Time value={request.created} show="date" /> already, and your vendor has
            not answered yet. Nothing was sent.
          </>
        ) : mail?.state === "waiting" ? (
          `Your request is recorded. The e-mail to your vendor will be sent soon, and the answer will be sent to ${email}.`
        ) : mail?.state === "sent" ? (
          `Your request was sent to your vendor by e-mail. The answer will be sent to ${email}.`
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
