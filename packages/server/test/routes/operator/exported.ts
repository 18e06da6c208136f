import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ByFormat, FORMATS, type Format } from "@dbdepot/contract/shared/formats";
import { exportDatabase } from "@dbdepot/exporter/export";

/** The metadata document and files that the exporter produced. */
export interface Exported {
  document: Buffer;
  files: ByFormat<Buffer>;
}

export async function exported(
  id: string,
  { rows = 3, updated = "2026-11-01", formats = FORMATS }: ExportTerms = {},
): Promise<Exported> {
  const folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  try {
    const input = Array.from({ length: rows }, (_, i) => ({
      network: `10.${(i >> 8) & 255}.${i & 255}.0/24`,
      // Hard to compress, so the size of the files grows with the number of rows.
      note: `${i} ${Math.sin(i)} ${Math.cos(i * 3)}`,
    }));
    const made = await exportDatabase({ id, input, outDir: folder, updated, formats: [...formats] });
    const files: ByFormat<Buffer> = {};
    for (const format of FORMATS) {
      const file = made.files[format];
      if (file) files[format] = await readFile(file.path);
    }
    return { document: await readFile(made.metadataPath), files };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface ExportTerms {
  rows?: number;
  updated?: string;
  formats?: readonly Format[];
}
