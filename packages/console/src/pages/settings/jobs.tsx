import type { JobList, JobState, OperatorJob } from "@dbdepot/contract/operator/jobs";
import { Button, Stack, Text, Title } from "@mantine/core";
import { IconChecks } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, send } from "../../app/api.ts";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { Time } from "../../components/time.tsx";

const QUERY_KEY = ["jobs"] as const;
const REFRESH_MS = 10_000;

const TYPE_NAMES: Record<string, string> = {
  compare_builds: "Compare builds",
  make_patches: "Make patches",
  purge_build: "Purge a withdrawn build from the CDN",
  write_tables: "Write tables",
  remove_patches: "Remove old patches",
  plan_deliveries: "Plan deliveries to buckets",
  deliver_builds: "Deliver builds to a bucket",
  remove_tables: "Remove old tables",
};

const STATES: Record<JobState, { name: string; tone: "good" | "bad" | "neutral" }> = {
  queued: { name: "Queued", tone: "neutral" },
  running: { name: "Running", tone: "good" },
  failed: { name: "Failed", tone: "bad" },
};

const COLUMNS: Column<OperatorJob>[] = [
  {
    heading: "Work",
    min: 200,
    cell: (job) => (
      <TwoLines truncate detail={job.subject}>
        {nameOf(job)}
      </TwoLines>
    ),
  },
  {
    heading: "Status",
    w: 125,
    cell: ({ state }) => <StatusBadge tone={STATES[state].tone}>{STATES[state].name}</StatusBadge>,
  },
  { heading: "Next attempt", w: 140, cell: ({ next_attempt: next }) => (next ? <Time value={next} /> : <Nothing />) },
  {
    heading: "Last error",
    min: 200,
    priority: 3,
    isProse: true,
    cell: ({ error }) => (error ? <Text>{error}</Text> : <Nothing />),
  },
];

/** Shows what the servers do in the background, and what has failed. */
export function Jobs() {
  const { role } = useAccount();
  const jobs = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async () => (await get<JobList>("/api/operator/jobs")).jobs,
    refetchInterval: REFRESH_MS,
  });
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: ({ id }: OperatorJob) => send<OperatorJob>("POST", `/api/operator/jobs/${id}/retry`),
    onSuccess: () => showSuccess("The job is attempted again."),
    onError: showError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUERY_KEY }),
  });
  return (
    <Stack component="section" gap="sm">
      <Stack gap={2}>
        <Title order={2}>Jobs</Title>
        <Text c="dimmed">Work in the background. A job that has failed waits until you retry it.</Text>
      </Stack>
      <DataTable
        label="Jobs"
        query={jobs}
        columns={COLUMNS}
        actionsWidth={100}
        actions={(job) =>
          (job.state === "failed" || job.error !== null) &&
          isManagerRole(role) && (
            <Button
              variant="default"
              size="xs"
              loading={retry.isPending && retry.variables.id === job.id}
              onClick={() => retry.mutate(job)}
              aria-label={`Retry: ${nameOf(job)} ${job.subject}`}
            >
              Retry
            </Button>
          )
        }
        empty={
          <EmptyState
            icon={IconChecks}
            title="Nothing to do"
            text="Publishing a build starts work in the background."
          />
        }
      />
    </Stack>
  );
}

function nameOf({ type }: OperatorJob): string {
  return TYPE_NAMES[type] ?? type;
}

function Nothing() {
  return (
    <Text span c="dimmed">
      –
    </Text>
  );
}
