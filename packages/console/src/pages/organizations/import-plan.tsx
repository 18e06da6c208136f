import type { CustomersImport, ImportedChange } from "@dbdepot/contract/operator/customers";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconEqual } from "@tabler/icons-react";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { plural } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";

type Kind = ImportedChange["kind"];

const KINDS: Record<Kind, string> = {
  organization: "organization",
  licence: "licence",
  account: "account",
  key: "key",
  legacy_key: "legacy key",
};

interface ImportPlanProps {
  plan: CustomersImport;
  isApplying: boolean;
  onApply: () => void;
}

/** Shows what an import would change, like a diff. */
export function ImportPlan({ plan, isApplying, onApply }: ImportPlanProps) {
  const { changes, unchanged, left_alone, skipped } = plan;
  const rows = changes.map((change, index) => ({ ...change, id: String(index) }));
  const others = (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
    left_alone[kind] > 0 ? [plural(left_alone[kind], KINDS[kind])] : [],
  );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text c="dimmed" style={{ flex: "1 1 240px" }}>
          {plural(changes.length, "change")}, {unchanged} unchanged.
          {others.length > 0 && ` Not in the file and left alone: ${others.join(", ")}.`}
        </Text>
        {changes.length > 0 && (
          <Button loading={isApplying} onClick={onApply}>
            Import {plural(changes.length, "change")}
          </Button>
        )}
      </Group>
      {skipped.length > 0 && (
        <Alert color="yellow" title="Not created, because these people were erased">
          {skipped.map(({ line, email }) => `${email} (line ${line})`).join(", ")}. If someone has come back, invite
          them by hand.
        </Alert>
      )}
      <DataTable
        label="Changes"
        query={{ data: rows, error: null, isFetching: false, refetch: async () => {} }}
        columns={COLUMNS}
        empty={<EmptyState icon={IconEqual} title="Nothing to do" text="Everything in the file is here already." />}
      />
    </Stack>
  );
}

const COLUMNS: Column<ImportedChange & { id: string }>[] = [
  {
    heading: "What",
    min: 180,
    cell: ({ kind, subject, organization, external_id }) => (
      <>
        <Text fw={500} style={{ overflowWrap: "anywhere" }}>
          {subject}
        </Text>
        <Text size="sm" c="dimmed">
          {kind === "organization"
            ? `Organization ${external_id ?? ""}`
            : `${sentence(KINDS[kind])} of ${organization}`}
        </Text>
      </>
    ),
  },
  {
    heading: "Change",
    w: 125,
    cell: ({ action }) =>
      action === "create" ? (
        <StatusBadge tone="good">New</StatusBadge>
      ) : (
        <StatusBadge tone="warning">Changed</StatusBadge>
      ),
  },
  { heading: "Values", min: 200, cell: (change) => <Values change={change} /> },
  { heading: "Line", w: 70, ta: "right", c: "dimmed", cell: ({ line }) => line },
];

function Values({ change: { action, fields, subject, creates_secret } }: { change: ImportedChange }) {
  const shown = fields.filter(({ after }) => action === "change" || (after !== null && after !== subject));
  if (shown.length === 0 && !creates_secret) return null;
  return (
    <Text component="div" size="sm" style={{ overflowWrap: "anywhere" }}>
      {shown.map(({ field, before, after }) => (
        <div key={field}>
          <Text span inherit c="dimmed">
            {field.replaceAll("_", " ")}
          </Text>{" "}
          {action === "change" && `${before ?? "none"} → `}
          {after ?? "none"}
        </div>
      ))}
      {creates_secret && <div>gets a new secret</div>}
    </Text>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
