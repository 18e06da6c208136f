import type { OwnTermsText } from "@dbdepot/contract/console/terms";
import type { OperatorTermsText } from "@dbdepot/contract/operator/terms";
import { Anchor, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { isManagerRole, isOperatorRole, useAccount } from "../../app/session.ts";
import { describeActor } from "../../components/actor.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { BackLink, Page } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { AcceptTerms } from "./accept-terms.tsx";
import { AcceptanceTable } from "./acceptance-table.tsx";
import { AddTermsDialog } from "./add-dialog.tsx";
import { ownTermsTextQuery, termsQuery } from "./api.ts";

const route = getRouteApi("/signed-in/terms/$id");

/** One version of a document with its full text. */
export function TermsVersion() {
  const { id } = route.useParams();
  return (
    <Stack gap="sm">
      <BackLink to="/terms">Terms</BackLink>
      {isOperatorRole(useAccount().role) ? <OperatorTerms id={id} /> : <OwnTerms id={id} />}
    </Stack>
  );
}

function OwnTerms({ id }: { id: string }) {
  const terms = useQuery(ownTermsTextQuery(id));
  return (
    <Loaded query={terms}>
      {(found) => (
        <Page title={found.title} description={<OwnDescription terms={found} />}>
          <TermsText title={found.title} text={found.text} />
          <AcceptTerms terms={found} />
        </Page>
      )}
    </Loaded>
  );
}

function OwnDescription({ terms: { id, databases } }: { terms: OwnTermsText }) {
  return (
    <>
      <code>{id}</code>
      {databases.length > 0 && `, needed to download ${databases.join(", ")}`}
    </>
  );
}

function OperatorTerms({ id }: { id: string }) {
  const terms = useQuery(termsQuery(id));
  return <Loaded query={terms}>{(found) => <OperatorVersion terms={found} />}</Loaded>;
}

/** Shows operators the text and everybody who has accepted it. */
function OperatorVersion({ terms }: { terms: OperatorTermsText }) {
  const { id, name, title, created, created_by, sha256, text } = terms;
  const canChange = isManagerRole(useAccount().role);
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Page
      title={title}
      description={
        <>
          <code>{id}</code>, added on <Time value={created} show="date" />
          {created_by && ` by ${describeActor(created_by)}`}
          <Group gap={4} wrap="nowrap">
            <code style={{ overflowWrap: "anywhere" }}>SHA-256 {sha256}</code>
            <CopyButton value={sha256} label="Copy the SHA-256" />
          </Group>
        </>
      }
      actions={
        canChange && (
          <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setIsAdding(true)}>
            Add a version
          </Button>
        )
      }
    >
      <TermsText title={title} text={text} />
      <Title order={2}>Accepted by</Title>
      <AcceptanceTable terms={id} emptyText="Customers see these terms once a licence of theirs requires them." />
      {isAdding && <AddTermsDialog document={{ name, title }} onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

/** The text, as a document or exactly as it was uploaded, which is what the digest covers. */
function TermsText({ title, text }: { title: string; text: string }) {
  const [isSource, setIsSource] = useState(false);
  return (
    <Stack gap="xs">
      <Paper component="section" aria-label={title} p="lg">
        {isSource ? (
          <Text component="div" maw="80ch" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {text}
          </Text>
        ) : (
          <Markdown text={text} />
        )}
      </Paper>
      <Anchor component="button" type="button" size="sm" ta="start" onClick={() => setIsSource(!isSource)}>
        {isSource ? "Show it as a document" : "Show it as it was uploaded"}
      </Anchor>
    </Stack>
  );
}
