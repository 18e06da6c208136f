import type { OperatorTermsText } from "@dbdepot/contract/operator/terms";
import { Button, Group, Stack, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { describeActor } from "../../components/actor.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { BackLink, Page } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { AcceptanceTable } from "./acceptance-table.tsx";
import { AddTermsDialog } from "./add-dialog.tsx";
import { termsQuery } from "./queries.ts";
import { TermsText } from "./terms-text.tsx";

/** One version with its text and who has accepted it, for operators. */
export function TermsVersion({ id }: { id: string }) {
  const terms = useQuery(termsQuery(id));
  return (
    <Stack gap="sm">
      <BackLink to="/terms">Terms</BackLink>
      <Loaded query={terms}>{(found) => <Version terms={found} />}</Loaded>
    </Stack>
  );
}

function Version({ terms }: { terms: OperatorTermsText }) {
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
