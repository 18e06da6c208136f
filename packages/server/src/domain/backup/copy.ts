import type { ObjectStore } from "../builds/object-store.ts";
import { copyFiles } from "./copy-files.ts";
import type { Batch, DumpedFile, DumpStore } from "./store.ts";

/** Everything a server stores: the database, and the files of builds. */
export interface Depot {
  store: DumpStore;
  /** Undefined if the files are not copied (`to`), or must be at their destination already (`from`). */
  objects: ObjectStore | undefined;
}

export interface CopyOptions {
  signal: AbortSignal;
  /** Marks the target as a copy, so that it sends nothing. Null if it takes the place of the original. */
  copied: Date | null;
  /** Called at the start of each step. Returns a function that is called with every further amount of bytes or rows. */
  onStep(what: "files" | "rows", total?: number): (amount: number) => void;
  /** Called if files are missing or damaged, with a line for each. Throws, unless the rows are to be copied anyway. */
  onMissing(problems: string[]): void;
}

export interface Copied {
  files: DumpedFile[];
  rows: number;
}

const PROBLEMS_SHOWN = 20;

/**
 * Copies everything into an empty database and an object store. The database is written last and in one transaction, so
 * an interrupted copy can be run again, and then skips the files that have been copied.
 */
export async function copyDepot(from: Depot, to: Depot, options: CopyOptions): Promise<Copied> {
  const { signal } = options;
  await to.store.requireEmpty();
  // Files are copied before the snapshot is taken, because a long-lived snapshot slows down a database in use.
  const early = await from.store.dump(async ({ files }) => files);
  const problems = await copy(early);
  const done = new Set(early.map(({ objectKey }) => objectKey).filter((key) => !problems.has(key)));
  return from.store.dump(async (dump) => {
    const late = await copy(dump.files.filter(({ objectKey }) => !done.has(objectKey)));
    if (late.size > 0) options.onMissing([...late.values()]);
    const onRows = options.onStep("rows");
    let rows = 0;
    await to.store.load({
      revision: dump.revision,
      copied: options.copied,
      async *batches(): AsyncGenerator<Batch> {
        for await (const batch of dump.batches()) {
          signal.throwIfAborted();
          yield batch;
          rows += batch.rows.length;
          onRows(batch.rows.length);
        }
      },
    });
    return { files: dump.files, rows };
  });

  async function copy(files: DumpedFile[]): Promise<Map<string, string>> {
    if (!to.objects) return new Map();
    const onBytes = options.onStep("files", sizeOf(files));
    return copyFiles(files, { from: from.objects, to: to.objects, signal, onBytes });
  }
}

export function sizeOf(files: readonly DumpedFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

export class FilesMissing extends Error {
  readonly faults: string[];

  constructor(problems: readonly string[], advice: string) {
    super(`files of published builds are missing or damaged, so the database was not copied: ${advice}`);
    const more = problems.length - PROBLEMS_SHOWN;
    this.faults = [this.message, ...problems.slice(0, PROBLEMS_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])];
  }
}
