import type { OwnTermsText } from "@dbdepot/contract/console/terms";
import { Alert, Button, Checkbox, Group, Paper, Stack, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { useAccount } from "../../app/session.ts";
import { FormError } from "../../components/form-error.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { showSuccess } from "../../components/notices.ts";
import { BackLink, Page } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { databasesQuery } from "../databases/queries.ts";
import { ownTermsQuery, ownTermsTextQuery } from "./queries.ts";
import { TermsText } from "./terms-text.tsx";
import { WhoAccepts } from "./who-accepts.tsx";

/** The full text of one version. Admins can accept it. */
export function OwnTermsVersion({ id }: { id: string }) {
  const terms = useQuery(ownTermsTextQuery(id));
  const { role } = useAccount();
  return (
    <Stack gap="sm">
      <BackLink to="/terms">Terms</BackLink>
      <Loaded query={terms}>
        {(found) => (
          <Page title={found.title} description={<Description terms={found} />}>
            <TermsText title={found.title} text={found.text} />
            {found.acceptance ? (
              <Accepted acceptance={found.acceptance} />
            ) : role === "admin" ? (
              <AcceptForm terms={found} />
            ) : (
              <WhoAccepts />
            )}
          </Page>
        )}
      </Loaded>
    </Stack>
  );
}

function Description({ terms: { id, databases } }: { terms: OwnTermsText }) {
  return (
    <>
      <code>{id}</code>
      {databases.length > 0 && `, needed to download ${databases.join(", ")}`}
    </>
  );
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
    mutationFn: () => api.acceptTerms(id, { sha256 }),
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
