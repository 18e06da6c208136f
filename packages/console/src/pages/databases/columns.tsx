import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { PlainTable } from "../../components/data-table.tsx";

/** The CSV has every column. In the MMDB the network is the key of the record. */
export function Columns({ build: { schema } }: { build: DatabaseMetadata }) {
  const inMmdb = new Set(schema.mmdb?.map(({ name }) => name));
  return (
    <PlainTable
      label="Columns"
      rows={schema.csvgz ?? schema.mmdb ?? []}
      keyOf={({ name }) => name}
      columns={[
        { heading: "Column", min: 150, cell: ({ name }) => <code>{name}</code> },
        { heading: "Type", w: 110, c: "dimmed", cell: ({ type }) => type },
        { heading: "Meaning", min: 240, isProse: true, cell: ({ description }) => description },
        schema.mmdb && {
          heading: "In the MMDB record",
          w: 175,
          priority: 3,
          c: "dimmed",
          cell: ({ name }) => (inMmdb.has(name) ? "Yes" : "As its key"),
        },
      ]}
    />
  );
}
