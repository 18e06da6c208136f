import type { OperatorAttempt } from "@dbdepot/contract/operator/history";
import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Anchor, Stack, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../app/api.ts";
import { type Column, DataTable, TwoLines } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { explain } from "../history/outcomes.ts";
import { WhyLink } from "../why/why-link.tsx";

const NEWEST = 100;

/** The newest download attempts. Each refused one leads to its explanation. */
export function HistoryTab({ organization: { id, name } }: { organization: OperatorOrganization }) {
  const attempts = useQuery({
    queryKey: ["organization-history", id],
    queryFn: async () => (await api.attempts(api.attemptsUrl({ org: id, limit: NEWEST }))).items,
  });
  const count = attempts.data?.length ?? 0;
  return (
    <Stack gap="sm">
      <DataTable
        label="Download attempts"
        query={attempts}
        columns={COLUMNS}
        actions={(attempt) => <WhyLink attempt={attempt} />}
        actionsHeading="Explanation"
        empty={
          <EmptyState icon={IconHistory} title="No attempts yet" text={`No key of ${name} has requested a download.`} />
        }
        minWidth={640}
        stacks
      />
      {count > 0 && (
        <Text size="sm" c="dimmed">
          {count === NEWEST && `These are the newest ${NEWEST} attempts. `}
          <Anchor inherit renderRoot={(props) => <Link to="/history" search={{ organization: id }} {...props} />}>
            Filter and export the history
          </Anchor>
        </Text>
      )}
    </Stack>
  );
}

const COLUMNS: Column<OperatorAttempt>[] = [
  { heading: "Time", cell: ({ created }) => <Time value={created} show="full" /> },
  {
    heading: "Database",
    cell: ({ dataset_id, format }) => <TwoLines detail={format || "No format"}>{dataset_id || "No id"}</TwoLines>,
  },
  {
    heading: "Result",
    cell: (attempt) => {
      const { label, tone } = explain(attempt);
      return <StatusBadge tone={tone}>{label}</StatusBadge>;
    },
  },
  { heading: "Address", cell: ({ client_ip }) => client_ip },
];
