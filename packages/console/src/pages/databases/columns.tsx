import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { Table } from "@mantine/core";
import { TableCard } from "../../components/table-card.tsx";

/** The CSV has every column. In the MMDB the network is the key of the record. */
export function Columns({ build: { schema } }: { build: DatabaseMetadata }) {
  const columns = schema.csvgz ?? schema.mmdb ?? [];
  const inMmdb = new Set(schema.mmdb?.map(({ name }) => name));
  return (
    <TableCard label="Columns" minWidth={560}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Column</Table.Th>
          <Table.Th>Type</Table.Th>
          <Table.Th>Meaning</Table.Th>
          {schema.mmdb && <Table.Th>In the MMDB record</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {columns.map(({ name, type, description }) => (
          <Table.Tr key={name}>
            <Table.Td>
              <code>{name}</code>
            </Table.Td>
            <Table.Td c="dimmed">{type}</Table.Td>
            <Table.Td>{description}</Table.Td>
            {schema.mmdb && <Table.Td c="dimmed">{inMmdb.has(name) ? "Yes" : "As its key"}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
}
