import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { IconTableOff } from "@tabler/icons-react";
import { PlainTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";

type Row = Record<string, unknown>;

export function SampleRows({ build: { sample } }: { build: DatabaseMetadata }) {
  const rows: Row[] = sample?.csvgz ?? sample?.mmdb ?? [];
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (rows.length === 0) {
    return <EmptyState icon={IconTableOff} title="No sample" text="This build was published without sample rows." />;
  }
  return (
    <PlainTable
      label="Sample rows"
      rows={rows}
      keyOf={(row) => JSON.stringify(row)}
      columns={names.map((name) => ({ heading: name, cell: (row: Row) => textOf(row[name]) }))}
      scrolls
    />
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
