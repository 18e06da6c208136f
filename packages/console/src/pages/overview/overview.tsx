import type {
  EndingLicence,
  EndingLicences,
  Overview as OverviewData,
  RefusedKey,
  WaitingRequest,
} from "@dbdepot/contract/console/overview";
import { SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { get } from "../../app/api.ts";
import { DailyChart } from "../../components/daily-chart.tsx";
import { plural } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { TERMS } from "../../components/terms.ts";
import { CalendarDate, Time } from "../../components/time.tsx";
import { attemptsByDay } from "../history/attempt-source.ts";
import { AttentionList } from "./attention-list.tsx";
import { Health } from "./health.tsx";
import { SetupChecklist } from "./setup.tsx";

const USAGE_STALE_MS = 5 * 60_000;

export function Overview() {
  const overview = useQuery({
    queryKey: ["overview"],
    queryFn: () => get<OverviewData>("/api/console/overview"),
    refetchInterval: 60_000,
  });
  // Counts many rows, and a few minutes make no difference to a chart of a month.
  const usage = useQuery({
    queryKey: ["usage", "overview"],
    queryFn: () => attemptsByDay({}),
    staleTime: USAGE_STALE_MS,
    refetchOnWindowFocus: false,
  });
  return (
    <Page title="Overview" description="The last 30 days, and what needs your attention.">
      <Loaded query={overview} rows={1}>
        {({ health, mail, setup }) => (
          <>
            <SetupChecklist setup={setup} />
            <Health health={health} mail={mail} />
          </>
        )}
      </Loaded>
      <Loaded query={usage} rows={4}>
        {({ days }) => <DailyChart days={days} />}
      </Loaded>
      <Loaded query={overview} rows={6}>
        {(found) => <Attention overview={found} />}
      </Loaded>
    </Page>
  );
}

function Attention({ overview }: { overview: OverviewData }) {
  const { overdue, ending, evaluations, refused_keys, requests, setup } = overview;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <AttentionList
        title="Access requests"
        page={{ to: "/requests" }}
        count={requests.total}
        empty="No requests are waiting for an answer."
        items={requests.requests.map(waitingRequest)}
      />
      <AttentionList
        title="Overdue builds"
        count={overdue.length}
        empty={setup.build ? "All builds are on time." : "No build has been published yet."}
        items={overdue.map(({ id, base, published, update_freq }) => ({
          key: id,
          target: { to: "/catalogue/$base", params: { base } },
          title: id,
          details: `Due ${update_freq}`,
          aside: published && (
            <>
              Published <Time value={published} />
            </>
          ),
        }))}
      />
      <AttentionList
        title="Keys that are refused"
        count={refused_keys.length}
        empty="No download was refused in the last 7 days."
        items={refused_keys.map(refusedKey)}
      />
      <Licences
        title="Licences that end within 60 days"
        page={{ to: "/licences", search: { kind: "contract", within: 60 } }}
        found={ending}
        empty="No licence ends within 60 days."
      />
      <Licences
        title="Evaluations"
        page={{ to: "/licences", search: { kind: "evaluation" } }}
        found={evaluations}
        empty="No evaluations are running."
      />
    </SimpleGrid>
  );
}

interface LicencesProps {
  title: string;
  page: Pick<LinkProps, "to" | "search">;
  found: EndingLicences;
  empty: string;
}

function Licences({ title, page, found, empty }: LicencesProps) {
  return (
    <AttentionList
      title={title}
      page={page}
      count={found.total}
      empty={empty}
      items={found.licences.map(({ id, organization, base, redistribution, expires }: EndingLicence) => ({
        key: id,
        target: { to: "/organizations/$id", params: { id: organization.id } },
        title: organization.name,
        details: `${base} · ${TERMS[redistribution]}`,
        aside: (
          <>
            Ends <CalendarDate value={expires} />
            <Text size="sm" c="dimmed">
              <Time value={expires} />
            </Text>
          </>
        ),
      }))}
    />
  );
}

function waitingRequest({ id, organization, base, email, created }: WaitingRequest) {
  return {
    key: id,
    target: { to: "/requests", search: { request: id } } as const,
    title: organization.name,
    details: `${base} · ${email}`,
    aside: (
      <>
        Asked <Time value={created} />
      </>
    ),
  };
}

/** Keys that were not recognized belong to no organization, so they have no page. */
function refusedKey({ key, organization, refused, last }: RefusedKey) {
  return {
    key: `${key?.id} ${organization?.id}`,
    ...(organization && {
      target: { to: "/organizations/$id", params: { id: organization.id }, search: { tab: "keys" } } as const,
    }),
    title: key?.name ?? (organization ? "People in the console" : "Keys that were not recognized"),
    details: organization?.name ?? "No organization",
    aside: (
      <>
        {plural(refused, "refusal")}
        <Text size="sm" c="dimmed">
          last <Time value={last} />
        </Text>
      </>
    ),
  };
}
