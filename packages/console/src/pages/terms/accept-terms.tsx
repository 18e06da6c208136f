import type { OwnTermsText } from "@dbdepot/contract/console/terms";
import { Alert, Anchor, Button, Checkbox, Group, Paper, Stack, Text } from "@mantine/core";
import { IconCheck, IconInfoCircle } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { useAccount } from "../../app/session.ts";
import { FormError } from "../../components/form-error.tsx";
import { showSuccess } from "../../components/notices.ts";
import { Time } from "../../components/time.tsx";
import { databasesQuery } from "../databases/api.ts";
import { ownTermsQuery, termsApi } from "./api.ts";

/** Says who accepted the terms, or lets an admin accept them. */
export function AcceptTerms({ terms }: { terms: OwnTermsText }) {
  const { role } = useAccount();
  if (terms.acceptance) return <Accepted acceptance={terms.acceptance} />;
  return role === "admin" ? <AcceptForm terms={terms} /> : <WhoAccepts />;
}

function Accepted({ acceptance }: { acceptance: NonNullable<OwnTermsText["acceptance"]> }) {
  const { name, email, created } = acceptance;
  return (
    <Alert variant="light" color="green" icon={<IconCheck />} title="Accepted">
      {name ? `${name} (${email})` : email} accepted these terms on <Time value={created} show="full" />.
    </Alert>
  );
}

function AcceptForm({ terms: { id, sha256 } }: { terms: OwnTermsText }) {
  const queryClient = useQueryClient();
  const { organization } = useAccount();
  const [hasRead, setHasRead] = useState(false);
  const name = organization?.name ?? "your organization";
  const accept = useMutation({
    mutationFn: () => termsApi.accept(id, { sha256 }),
    onSuccess: async () => {
      await Promise.all(
        [ownTermsQuery.queryKey, databasesQuery.queryKey].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      );
      showSuccess(`The terms have been accepted for ${name}.`);
    },
  });
  return (
    <Paper component="section" aria-label="Accept" p="lg">
      <Stack gap="md">
        <FormError error={accept.error} />
        <Checkbox
          label={`I have read these terms and may accept them for ${name}`}
          checked={hasRead}
          onChange={({ currentTarget }) => setHasRead(currentTarget.checked)}
        />
        <Group gap="md">
          <Button disabled={!hasRead} loading={accept.isPending} onClick={() => accept.mutate()}>
            Accept for {name}
          </Button>
          <Text size="sm" c="dimmed">
            Your name, the time, your address and the text are recorded.
          </Text>
        </Group>
      </Stack>
    </Paper>
  );
}

/** Tells people who cannot accept terms whom to ask. */
function WhoAccepts() {
  const { data } = useQuery(ownTermsQuery);
  const { organization } = useAccount();
  const admins = data?.admins ?? [];
  return (
    <Alert variant="light" color="gray" icon={<IconInfoCircle />} title="Only admins can accept terms">
      {admins.length > 0 ? "Ask " : `${organization?.name ?? "Your organization"} has no admin: ask your vendor`}
      {admins.map(({ name, email }, index) => (
        <Fragment key={email}>
          {index > 0 && (index === admins.length - 1 ? " or " : ", ")}
          <Anchor inherit underline="always" href={`mailto:${email}`}>
            {name || email}
          </Anchor>
        </Fragment>
      ))}
      .
    </Alert>
  );
}
