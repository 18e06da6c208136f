import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import type { DatabaseMetadata } from "../../api/wire.gen.ts";
import type { DbdepotClient } from "../../client.ts";
import { isDownloadable } from "../downloadable.ts";
import { FORMATS, preferredFormat } from "../formats.ts";
import { type Access, answer, DatabaseId, READ_ONLY } from "./tool.ts";

const Family = z.looseObject({
  base: z.string().describe("Family name. Licences are granted per family."),
  name: z.string(),
  summary: z.string(),
  standing: z.string().describe("licensed, expired or unlicensed."),
  open: z.boolean().optional().describe("Whether it needs no licence."),
  expires: z.string().nullable().describe("When the licence ends; null if never, or without a licence."),
  versions: z.array(z.looseObject({ id: z.string(), summary: z.string(), formats: z.array(z.string()) })),
});

const Column = z.looseObject({ name: z.string(), type: z.string(), description: z.string().optional() });

export function addCatalogueTools(server: McpServer, { client }: Access): void {
  server.registerTool(
    "list_databases",
    {
      title: "List databases",
      description:
        "Lists the catalogue: every database family with the user's licence standing, the licence term, and the ids and formats of its versions.",
      inputSchema: { downloadable_only: z.boolean().default(false).describe("Only those that the user may download.") },
      outputSchema: { databases: z.array(Family) },
      annotations: READ_ONLY,
    },
    ({ downloadable_only: only }, { signal }) =>
      answer(async () => {
        const databases = await client.list({ signal });
        return { databases: only ? databases.filter(isDownloadable) : databases };
      }),
  );

  server.registerTool(
    "database_metadata",
    {
      title: "Describe a database",
      description:
        "Describes the current build of a database: its date, number of rows, file sizes, and the columns (name, type, description) of each format. Needs a licence unless the database is open.",
      inputSchema: { id: DatabaseId },
      outputSchema: {
        id: z.string(),
        build_id: z.string().nullable(),
        updated: z.string().describe("Date of the build."),
        current_as_of: z
          .string()
          .nullable()
          .describe("When the vendor last signed a statement that this is the newest build; null if it issues none."),
        update_freq: z.string().optional(),
        entries: z.number().describe("Number of rows."),
        size: z.record(z.string(), z.number()).describe("Bytes of each format."),
        schema: z.record(z.string(), z.array(Column)).describe("Columns of each format."),
      },
      annotations: READ_ONLY,
    },
    ({ id }, { signal }) =>
      answer(async () => {
        const { metadata, buildId } = await metadataOf(client, id, signal);
        const { hasKey } = await client.trustIn(id);
        const proof = hasKey ? await client.proof(id, { signal }) : undefined;
        const current_as_of = proof?.freshness?.issued ?? null;
        const { updated, update_freq, entries, size, schema } = metadata;
        return {
          id,
          build_id: buildId,
          updated,
          current_as_of,
          ...(update_freq && { update_freq }),
          entries,
          size,
          schema,
        };
      }),
  );

  server.registerTool(
    "sample_rows",
    {
      title: "Show sample rows",
      description:
        "Shows a few real rows of a database, with their networks, to see what its columns contain. Needs a licence unless the database is open.",
      inputSchema: {
        id: DatabaseId,
        format: z.enum(FORMATS).optional().describe("Format whose rows to show (default: mmdb if available)."),
      },
      outputSchema: { id: z.string(), format: z.string(), rows: z.array(z.record(z.string(), z.unknown())) },
      annotations: READ_ONLY,
    },
    ({ id, format: wanted }, { signal }) =>
      answer(async () => {
        const { metadata } = await metadataOf(client, id, signal);
        const format = wanted ?? preferredFormat(metadata);
        const rows = metadata.sample?.[format];
        if (!rows)
          throw new Error(`the build of ${id} has no sample rows for ${format}: database_metadata shows its columns`);
        return { id, format, rows: format === "mmdb" ? withNetworks(rows, metadata.sample?.csvgz) : rows };
      }),
  );
}

type Row = Record<string, unknown>;

/** An mmdb has no column for the network, so it is taken from the same row of the csv.gz. */
function withNetworks(rows: Row[], csvRows: Row[] | undefined): Row[] {
  const isSame = (row: Row, csvRow: Row | undefined) =>
    csvRow && Object.keys(row).every((name) => JSON.stringify(row[name]) === JSON.stringify(csvRow[name]));
  return rows.every((row, index) => isSame(row, csvRows?.[index])) ? (csvRows ?? rows) : rows;
}

async function metadataOf(
  client: DbdepotClient,
  id: string,
  signal: AbortSignal,
): Promise<{ metadata: DatabaseMetadata; buildId: string | null }> {
  const result = await client.metadata(id, { signal });
  // The service always sends the document if the request has no ETag.
  if (!result.changed) throw new Error("the service sent no metadata");
  return result;
}
