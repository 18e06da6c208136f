import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { Table } from "@mantine/core";
import { IconTableOff } from "@tabler/icons-react";
import { EmptyState } from "../../components/empty-state.tsx";
import { TableCard } from "../../components/table-card.tsx";

export function SampleRows({ build: { sample } }: { build: DatabaseMetadata }) {
  const rows = sample?.csvgz ?? sample?.mmdb ?? [];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (rows.length === 0) {
    return <EmptyState icon={IconTableOff} title="No sample" text="This build was published without sample rows." />;
  }
  return (
    <TableCard label="Sample rows" minWidth={columns.length * 140}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column}>{column}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={JSON.stringify(row)}>
            {columns.map((column) => (
              <Table.Td key={column}>{textOf(row[column])}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
