import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { zstdCompressSync } from "node:zlib";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import type { TypedColumn } from "./column-types.ts";

const GROUP_ROWS = 100_000;
/** Rows of long texts are written earlier, which limits the memory. */
const GROUP_CHARACTERS = 32 * 1024 * 1024;
/** The column that says what happened to a row of a change file. */
export const CHANGE_TYPE = "_change_type";

/** A cell that does not have the type of its column. */
export class CellFault extends Error {}

/** A file that is complete. */
export interface WrittenFile {
  path: string;
  rows: number;
  sizeBytes: number;
  sha256: string;
}

interface WriterOptions {
  columns: readonly TypedColumn[];
  /** Whether every row begins with the kind of change. */
  hasChangeType: boolean;
  directory: string;
  /** A file is at most this long. */
  maxFileBytes: number;
  /** The key-value metadata of each file. */
  metadata: Readonly<Record<string, string>>;
}

interface OpenFile {
  path: string;
  rows: number;
  output: ReturnType<typeof fileWriter>;
  parquet: ParquetWriter;
}

/** Writes rows of CSV cells as one or more Parquet files. The same rows always give the same bytes. */
export class RowsToParquet {
  readonly #options: WriterOptions;
  #values: unknown[][];
  #changeTypes: string[] = [];
  #rows = 0;
  #characters = 0;
  #largestGroupBytes = 0;
  #file: OpenFile | undefined;
  readonly #closed: Pick<OpenFile, "path" | "rows">[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#values = options.columns.map(() => []);
  }

  /** Throws a CellFault if a cell does not have the type of its column. */
  add(cells: readonly string[], changeType?: string): void {
    const { columns } = this.#options;
    for (const [index, column] of columns.entries()) {
      const text = cells[index] ?? "";
      const value = column.parse(text);
      if (value === undefined) {
        throw new CellFault(`column ${column.name}: ${JSON.stringify(text.slice(0, 80))} is not ${column.declared}`);
      }
      this.#values[index]?.push(value);
      this.#characters += text.length;
    }
    if (changeType !== undefined) this.#changeTypes.push(changeType);
    this.#rows += 1;
    if (this.#rows >= GROUP_ROWS || this.#characters >= GROUP_CHARACTERS) this.#writeGroup();
  }

  /** Writes at least one file, even without rows, because its schema is needed. */
  async finish(): Promise<WrittenFile[]> {
    this.#writeGroup();
    if (this.#closed.length === 0) this.#file ??= this.#open();
    if (this.#file) this.#close(this.#file);
    return Promise.all(
      this.#closed.map(async (file) => {
        const hash = createHash("sha256");
        await pipeline(createReadStream(file.path), hash);
        return { ...file, sizeBytes: statSync(file.path).size, sha256: hash.digest("hex") };
      }),
    );
  }

  #writeGroup(): void {
    if (this.#rows === 0) return;
    this.#file ??= this.#open();
    const { columns, hasChangeType, maxFileBytes } = this.#options;
    const { output, parquet } = this.#file;
    const before = output.offset;
    const columnData = columns.map(({ name }, index) => ({ name, data: this.#values[index] ?? [] }));
    if (hasChangeType) columnData.push({ name: CHANGE_TYPE, data: this.#changeTypes });
    parquet.write({ columnData, rowGroupSize: this.#rows });
    this.#file.rows += this.#rows;
    this.#largestGroupBytes = Math.max(this.#largestGroupBytes, output.offset - before);
    this.#values = columns.map(() => []);
    this.#changeTypes = [];
    this.#rows = 0;
    this.#characters = 0;
    // The next group may be a little larger than those before, and the footer follows.
    if (output.offset + 1.5 * this.#largestGroupBytes > maxFileBytes) this.#close(this.#file);
  }

  #open(): OpenFile {
    const { columns, hasChangeType, directory, metadata } = this.#options;
    const path = join(directory, `part-${this.#closed.length}`);
    const output = fileWriter(path);
    const elements = columns.map(({ name, parquet }) => ({ name, ...parquet, repetition_type: "OPTIONAL" as const }));
    const changeType = {
      name: CHANGE_TYPE,
      type: "BYTE_ARRAY",
      converted_type: "UTF8",
      repetition_type: "OPTIONAL",
    } as const;
    const leaves = hasChangeType ? [...elements, changeType] : elements;
    const parquet = new ParquetWriter({
      writer: output,
      schema: [{ name: "root", num_children: leaves.length }, ...leaves],
      codec: "ZSTD",
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
      createdBy: "dbdepot",
    });
    return { path, rows: 0, output, parquet };
  }

  #close({ path, rows, parquet }: OpenFile): void {
    parquet.finish();
    this.#closed.push({ path, rows });
    this.#file = undefined;
  }
}
