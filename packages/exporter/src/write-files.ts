import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { GZIP_OPTIONS, withFixedGzipHeader } from "@dbdepot/formats/gzip";
import type { ColumnType } from "./columns/column-type.ts";
import type { Networks } from "./mmdb/networks.ts";
import { layOutMmdb } from "./mmdb/writer.ts";
import { epochSeconds } from "./options.ts";
import { encodeRecords } from "./records.ts";
import type { TableColumn } from "./table.ts";

export interface MmdbSource {
  /** The csv.gz with the same rows. */
  csvPath: string;
  columns: readonly TableColumn[];
  types: readonly ColumnType[];
  networks: Networks;
  entries: number;
}

export interface MmdbLabel {
  databaseType: string;
  description: string;
  updated: string;
}

export async function writeCsv(path: string, text: AsyncIterable<string>): Promise<void> {
  await pipeline(text, createGzip(GZIP_OPTIONS), withFixedGzipHeader, createWriteStream(path, { flush: true }));
}

/** Returns the number of rows with the same network as another row. */
export async function writeMmdb(
  path: string,
  { csvPath, columns, types, networks, entries }: MmdbSource,
  { databaseType, description, updated }: MmdbLabel,
  { onRows, signal }: { onRows?: (rows: number) => void; signal: AbortSignal | undefined },
): Promise<number> {
  const { data, offsets } = await encodeRecords(csvPath, columns, types, entries, (rows) => {
    signal?.throwIfAborted();
    onRows?.(rows);
  });
  const layout = layOutMmdb({
    networks,
    data,
    offsetOf: (row) => offsets[row] as number,
    about: {
      databaseType,
      description: { en: description },
      languages: ["en"],
      buildEpochSeconds: epochSeconds(updated),
    },
  });
  await pipeline(layout.bytes, createWriteStream(path, { flush: true }), { signal });
  return layout.repeatedNetworks;
}
