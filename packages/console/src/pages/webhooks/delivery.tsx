import type { DeliveryContents, DeliveryDetails } from "@dbdepot/contract/v2/webhooks";
import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CodeBlock } from "../../components/code-block.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { FactCards } from "../../components/fact-cards.tsx";
import { CopiedText, FactTable } from "../../components/fact-table.tsx";
import { formatDuration } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { BackLink, Page } from "../../components/page.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import { RedeliverButton } from "./deliveries.tsx";
import { eventLabel } from "./event-types.ts";
import { useShownWebhook } from "./shown-webhook.ts";
import { DeliveryState, responseOf } from "./state.tsx";
import { deliveriesPage } from "./webhook-source.ts";

/** One request to a webhook, with what was sent and received. */
export function DeliveryPage() {
  const { source, webhook, delivery: id, canChange } = useShownWebhook();
  const delivery = useQuery({
    queryKey: [...source.queryKey, webhook, "deliveries", id],
    queryFn: () => source.delivery(webhook, id),
  });
  return (
    <Stack gap="sm">
      <BackLink {...deliveriesPage(source, webhook)}>Deliveries</BackLink>
      <Loaded query={delivery}>
        {(found) => (
          <Page
            title={eventLabel(found.event_type)}
            description={
              <Group gap={4} wrap="nowrap">
                <code>{found.id}</code>
                <CopyButton value={window.location.href} label="Copy the link to this page" />
              </Group>
            }
            actions={
              canChange &&
              found.trigger !== "test" && <RedeliverButton source={source} webhook={webhook} delivery={found} />
            }
          >
            <Details delivery={found} />
          </Page>
        )}
      </Loaded>
    </Stack>
  );
}

const TRIGGERS = { event: "", test: " (test)", redelivery: " (sent again)" };

function Details({ delivery }: { delivery: DeliveryDetails }) {
  const { attempt, trigger, duration_ms, created, request, response } = delivery;
  return (
    <>
      <FactCards
        facts={{
          Result: <DeliveryState delivery={delivery} />,
          Response: responseOf(delivery),
          Duration: formatDuration(duration_ms),
          Attempt: `${attempt}${TRIGGERS[trigger]}`,
          Sent: <Time value={created} show="full" />,
        }}
      />
      <Contents title="Request" contents={request} none="The request was not stored." />
      <Contents
        title="Response"
        contents={response}
        none={request ? "No response arrived." : "The response was not stored."}
      />
    </>
  );
}

function Contents({ title, contents, none }: { title: string; contents: DeliveryContents | null; none: string }) {
  return (
    <Section title={title}>
      {contents ? (
        <>
          <FactTable
            facts={Object.fromEntries(
              Object.entries(contents.headers).map(([name, value]) => [
                name,
                <CopiedText key={name} text={value} label={`Copy ${name}`} />,
              ]),
            )}
          />
          {contents.body === "" ? (
            <Text c="dimmed">The body is empty.</Text>
          ) : (
            <CodeBlock code={readable(contents.body)} label={`Copy the body of the ${title.toLowerCase()}`} />
          )}
          {contents.truncated && <Text c="dimmed">The rest of the body was not kept.</Text>}
        </>
      ) : (
        <Text c="dimmed">{none}</Text>
      )}
    </Section>
  );
}

/** Indents JSON, and leaves everything else as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
