import type { BucketDelivery, Destination, DestinationSetup, DestinationTest } from "@dbdepot/contract/v2/destinations";
import { Button, Stack, Text, Title } from "@mantine/core";
import { IconListDetails, IconPlugConnected } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CodeBlock } from "../../components/code-block.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { CopiedText, FactTable } from "../../components/fact-table.tsx";
import { formatBytes, formatDuration, plural } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { useLog } from "../../components/log.ts";
import { showError } from "../../components/notices.ts";
import { BackLink, Page } from "../../components/page.tsx";
import { Section } from "../../components/section.tsx";
import { DetailedStatus } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { FULL_TIME_WIDTH, LastTime, Time } from "../../components/time.tsx";
import { formatList } from "../databases/formats.ts";
import { AccessHelp, WAYS } from "./access-fields.tsx";
import { DestinationMenu } from "./destination-menu.tsx";
import {
  DESTINATIONS_KEY,
  type DestinationSource,
  destinationsQuery,
  listPage,
  useShownDestination,
} from "./destination-source.ts";
import { DeliveryOutcome, DestinationState, locationOf, problemText } from "./state.tsx";

/** Deliveries happen in the background. */
const REFRESH_MS = 5000;

/** One bucket: its state, what is left to set up, a test, and the deliveries to it. */
export function DestinationPage() {
  const { source, id } = useShownDestination();
  const destination = useQuery({
    queryKey: [...source.queryKey, id],
    queryFn: () => source.get(id),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Stack gap="sm">
      <BackLink {...listPage(source)}>Destinations</BackLink>
      <Loaded query={destination}>{(found) => <Details destination={found} />}</Loaded>
    </Stack>
  );
}

function Details({ destination }: { destination: Destination }) {
  const { source, id, canChange } = useShownDestination();
  const queryClient = useQueryClient();
  const { data: list } = useQuery(destinationsQuery(source));
  const test = useMutation({
    mutationFn: () => source.test(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [DESTINATIONS_KEY] }),
    onError: showError,
  });
  const button = canChange && (
    <Button
      leftSection={<IconPlugConnected size={16} stroke={1.8} />}
      loading={test.isPending}
      onClick={() => test.mutate()}
    >
      Test
    </Button>
  );
  return (
    <Page
      title={locationOf(destination)}
      description={destination.description}
      actions={
        <>
          {button}
          {canChange && <DestinationMenu source={source} destination={destination} isOnPage />}
        </>
      }
    >
      {test.data && <TestResult result={test.data} />}
      {destination.ownership.verified === null && list && <Setup destination={destination} setup={list.setup} />}
      <Section title="Settings">
        <Facts destination={destination} />
      </Section>
      <DeliveryList source={source} destination={id} />
    </Page>
  );
}

const STEPS = { ownership: "Proof", write: "Write", read: "Read", delete: "Delete" };

function TestResult({ result: { ok, steps } }: { result: DestinationTest }) {
  return (
    <Section
      title="Result of the test"
      description={ok ? "Everything works. What the bucket lacks is delivered now." : "A delivery would fail."}
    >
      <div role="status">
        <FactTable
          facts={Object.fromEntries(
            steps.map((step) => [
              STEPS[step.step],
              <DetailedStatus
                key={step.step}
                tone={step.ok ? "good" : "bad"}
                label={step.ok ? "Works" : "Fails"}
                detail={problemText(step)}
              />,
            ]),
          )}
        />
      </div>
    </Section>
  );
}

/** What is left to do before the first delivery. */
function Setup({ destination, setup }: { destination: Destination; setup: DestinationSetup }) {
  const { bucket, endpoint, ownership } = destination;
  const { key, content } = ownership;
  const options = endpoint === null ? "" : ` --endpoint-url ${endpoint}`;
  const command = `printf %s "${content}" | aws s3 cp - "s3://${bucket}/${key}"${options}`;
  return (
    <>
      <Section title="1. Let the vendor in">
        <AccessHelp {...destination} setup={setup} />
      </Section>
      <Section
        title="2. Prove that the bucket is yours"
        description="Put this object into it and leave it there. Otherwise someone who knows the name of your bucket could have it filled."
      >
        <FactTable
          facts={{
            Name: <CopiedText text={key} label="Copy the name" />,
            Content: <CopiedText text={content} label="Copy the content" />,
          }}
        />
        <CodeBlock code={command} label="Copy the command" />
      </Section>
      <Section title="3. Test">
        <Text>
          The test looks for the object, then writes, reads and deletes another one. If all of it works, the current
          builds are delivered at once.
        </Text>
      </Section>
    </>
  );
}

function Facts({ destination }: { destination: Destination }) {
  const { access, role_arn, access_key_id, region, endpoint, families, formats, keep, databases } = destination;
  const complete = databases.filter(({ build_id }) => build_id !== null).length;
  return (
    <FactTable
      facts={{
        Status: <DestinationState destination={destination} />,
        ...(destination.error !== null && { "Last error": destination.error }),
        Access: [WAYS[access].label, role_arn ?? access_key_id].filter(Boolean).join(": "),
        Region: region,
        ...(endpoint !== null && { Endpoint: endpoint }),
        ...(destination.encryption !== null && { Encryption: destination.encryption }),
        Families: families?.join(", ") ?? "All",
        Formats: formats ? formatList(formats as Parameters<typeof formatList>[0]) : "All",
        Keeps: `${plural(keep, "build")} of each database`,
        Contains: plural(complete, "database"),
        Delivered: <LastTime value={destination.last_delivered} />,
      }}
    />
  );
}

function DeliveryList({ source, destination }: { source: DestinationSource; destination: string }) {
  const log = useLog({
    queryKey: [...source.queryKey, destination, "deliveries"],
    load: (url) => source.deliveries(destination, url),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <Title order={2}>Deliveries</Title>
      <DataTable
        label="Deliveries"
        {...log}
        columns={COLUMNS}
        empty={
          <EmptyState
            icon={IconListDetails}
            title="No deliveries yet"
            text="Deliveries of the last 30 days are listed here, with the build, its size and what went wrong."
          />
        }
      />
    </>
  );
}

const COLUMNS: Column<BucketDelivery>[] = [
  {
    heading: "Database",
    min: 220,
    cell: ({ database_id, build_id }) => (
      <TwoLines truncate detail={build_id}>
        {database_id}
      </TwoLines>
    ),
  },
  {
    heading: "Result",
    min: 200,
    priority: 1,
    isProse: true,
    cell: (delivery) => <DeliveryOutcome delivery={delivery} />,
  },
  {
    heading: "Arrived",
    w: 170,
    cell: ({ files, bytes, duration_ms }) => (
      <TwoLines detail={formatDuration(duration_ms)}>
        {plural(files, "file")}, {formatBytes(bytes)}
      </TwoLines>
    ),
  },
  { heading: "Ended", w: FULL_TIME_WIDTH, cell: ({ created }) => <Time value={created} show="full" /> },
];
