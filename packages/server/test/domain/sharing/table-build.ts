import { gzipSync } from "node:zlib";
import { formatCsvRow } from "@dbdepot/formats/csv/write";
import type { SampleBuild } from "../builds/sample-build.ts";

/** A build with a csv.gz of these rows. `columns` are names with their types. */
export function tableBuild(
  id: string,
  columns: Readonly<Record<string, string>>,
  rows: readonly (readonly string[])[],
  updated = "2026-11-01",
): SampleBuild {
  const csvgz = gzipSync([Object.keys(columns), ...rows].map((cells) => formatCsvRow(cells)).join(""));
  const schema = { csvgz: Object.entries(columns).map(([name, type]) => ({ name, type })) };
  const document = { id, updated, entries: rows.length, schema, size: { csvgz: csvgz.length } };
  return { document: Buffer.from(JSON.stringify(document)), files: { csvgz } };
}
