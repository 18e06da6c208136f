import type { RetentionKind, RetentionPreview, RetentionPreviews } from "@dbdepot/contract/operator/retention";
import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../../app/api.ts";
import { DataTable } from "../../components/data-table.tsx";
import { formatBytes, formatCount } from "../../components/format.ts";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { CalendarDate } from "../../components/time.tsx";

const KIND_NAMES: Record<RetentionKind, string> = {
  builds: "Builds",
  history: "Download history",
  addresses: "Addresses",
  events: "Events",
  deliveries: "Webhook deliveries",
  audit: "Audit log",
};

type Row = RetentionPreview & { id: string };

const COLUMNS: Column<Row>[] = [
  { heading: "Kind", cell: ({ kind, rule }) => <TwoLines detail={rule}>{KIND_NAMES[kind]}</TwoLines> },
  { heading: "To be removed", w: 155, ta: "right", cell: (rule) => <Amount rule={rule} /> },
  { heading: "Oldest", w: 140, cell: ({ oldest }) => (oldest ? <CalendarDate value={oldest} /> : <Nothing />) },
];

/** Shows what the retention settings would remove now. */
export function Retention() {
  const query = useQuery({
    queryKey: ["retention"],
    queryFn: () => get<RetentionPreviews>("/api/operator/retention"),
  });
  return (
    <Stack component="section" gap="sm">
      <Stack gap={2}>
        <Title order={2}>Retention</Title>
        <Text c="dimmed">How long things are kept, and what the server removes within the next hour.</Text>
      </Stack>
      <DataTable
        label="Retention"
        query={{ ...query, data: query.data?.rules.map((rule): Row => ({ ...rule, id: rule.kind })) }}
        columns={COLUMNS}
        empty={null}
        placeholders={6}
      />
    </Stack>
  );
}

function Amount({ rule: { on, count, bytes } }: { rule: RetentionPreview }) {
  return on ? <TwoLines detail={count > 0 && formatBytes(bytes)}>{formatCount(count)}</TwoLines> : <Nothing />;
}

function Nothing() {
  return (
    <Text span c="dimmed">
      –
    </Text>
  );
}
