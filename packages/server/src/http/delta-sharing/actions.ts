import { fileName } from "@dbdepot/contract/shared/formats";
import type { FastifyReply } from "fastify";
import type { SharedFile, TableVersion } from "../../domain/sharing/shared-table.ts";
import { idOf } from "../../platform/primitives/ids.ts";
import { linkFor } from "../link.ts";
import type { KeyContext } from "../route.ts";

/** The lines of a response, without the schema of a table, which is the same for all of its versions. */
type Action = Record<string, object>;

const CONTENT_TYPE = "application/vnd.apache.parquet";

/** Sends the lines of a response. Programs that can read other formats too learn from the header which one it is. */
export function sendActions(reply: FastifyReply, number: number, actions: readonly Action[]): FastifyReply {
  return reply
    .header("content-type", "application/x-ndjson; charset=utf-8")
    .header("delta-table-version", String(number))
    .header("delta-sharing-capabilities", "responseformat=parquet")
    .header("cache-control", "no-store")
    .send(actions.map((action) => `${JSON.stringify(action)}\n`).join(""));
}

/** The two lines with which every response about a table begins. */
export function headerActions(
  { services }: KeyContext,
  version: TableVersion,
  rows: readonly SharedFile[],
  isVersionWanted: boolean,
): Action[] {
  const { versionId, number, columns } = version;
  const fields = columns.map((column) => ({ ...column, nullable: true, metadata: {} }));
  return [
    { protocol: { minReaderVersion: 1 } },
    {
      metaData: {
        id: idOf(`the table ${versionId}`),
        name: versionId,
        description: services.register.offer(versionId)?.version.summary ?? "",
        format: { provider: "parquet" },
        schemaString: JSON.stringify({ type: "struct", fields }),
        partitionColumns: [],
        configuration: { enableChangeDataFeed: "true" },
        size: bytesOf(rows),
        numFiles: rows.length,
        ...(isVersionWanted && { version: number }),
      },
    },
  ];
}

/** A line about a file, with a link that works for a while. */
export function fileAction(
  context: KeyContext,
  kind: "file" | "add" | "cdf",
  { number, created }: TableVersion,
  file: SharedFile,
): Action {
  const ttlSeconds = context.services.tableLinkTtlSeconds;
  const filename = fileName(file.versionId, "csvgz").replace(/\.csv\.gz$/, ".parquet");
  return {
    [kind]: {
      url: linkFor(context, file.objectKey, { filename, contentType: CONTENT_TYPE }, ttlSeconds),
      id: file.id,
      partitionValues: {},
      size: file.sizeBytes,
      ...(kind !== "cdf" && { stats: JSON.stringify({ numRecords: file.rows }) }),
      version: number,
      timestamp: created.getTime(),
      expirationTimestamp: context.now.getTime() + ttlSeconds * 1000,
    },
  };
}

export function bytesOf(files: readonly SharedFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
