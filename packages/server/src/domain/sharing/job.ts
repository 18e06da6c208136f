import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import type { Clock } from "../../platform/primitives/clock.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { ThreadLimits } from "../../platform/runtime/limited-thread.ts";
import type { Build } from "../builds/build.ts";
import { outcomeOf } from "../builds/changes/comparison-job.ts";
import { keyColumnsOf } from "../builds/changes/key-columns.ts";
import { emptyDirectory, type Folder, openFolder } from "../builds/local-copies.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import { ClaimEnded, type JobContext, type JobHandler } from "../jobs/runner.ts";
import type { JobData } from "../jobs/types.ts";
import { signTables } from "../manifests/sign.ts";
import type { Rules, Store, Tables } from "../store.ts";
import { digestsOf } from "./digests.ts";
import { type SharedColumn, type SharedFile, sharedIdOf, sharedKeyOf, type TableVersion } from "./shared-table.ts";
import type { WriteTable } from "./write-table.ts";

/** This is in the data directory, because the files may be too large for memory. */
export const TABLE_DIRECTORY = "tables";

/** Real files take less than a minute per million rows. */
export const TABLE_LIMITS = { timeoutMs: 60 * 60_000, memoryMb: 2048 };

/** Readers fetch several files at once. */
export const TABLE_FILE_MAX_BYTES = 128 * 1024 * 1024;

export interface TableJobOptions {
  store: Store;
  objects: ObjectStore;
  clock: Clock;
  /** The directory for local copies of the files. Only this process and its predecessors write to it. */
  directory: string;
  limits: ThreadLimits;
  maxFileBytes: number;
  writeTable: WriteTable;
  rules: Partial<Rules>;
  onWritten(version: TableVersion, files: readonly SharedFile[]): void;
  onFailed(): void;
}

/**
 * Writes the rows of the version's current build as Parquet, and the changes since the previous version of the table, and adds a
 * version to the table.
 */
export function tableJob(options: TableJobOptions): JobHandler<"write_tables"> {
  return {
    run: (data, context) => writeTables(options, data, context),
    onFailed: async () => options.onFailed(),
  };
}

async function writeTables(
  options: TableJobOptions,
  { versionId, buildId }: JobData<"write_tables">,
  context: JobContext,
): Promise<void> {
  const { store, objects, clock } = options;
  // Files are written one at a time, so no other process needs these.
  await emptyDirectory(options.directory);
  const build = await store.builds.byId(buildId);
  if (!build || !(await isNeeded(store, build))) return;
  await removeUnrecorded(options, build);
  const existing = await store.sharing.filesOf([build.id]);
  const latest = await store.sharing.latest(versionId);
  const isNew = latest?.buildId !== build.id;
  const number = isNew ? (latest?.number ?? 0) + 1 : latest.number;
  const files: SharedFile[] = [];
  const describe = (content: SharedFile["content"]) =>
    newFile(build, content === "changes" ? { content, number } : { content, number: null }, clock());
  await using folder = await openFolder(options.directory);
  const work = new Work(options, { build, folder, signal: context.signal });
  try {
    const hasRows = existing.some(({ content }) => content === "rows");
    const columns = hasRows && latest ? undefined : await work.write(files, () => describe("rows"));
    const base = isNew && latest ? await store.builds.byId(latest.buildId) : undefined;
    const noChanges = base ? await work.writeChanges(files, base, () => describe("changes")) : null;
    const known = (await store.sharing.versions(versionId)).findLast((one) => one.buildId === build.id);
    const version: TableVersion = {
      versionId,
      number,
      buildId: build.id,
      baseBuildId: latest?.buildId ?? null,
      columns: columns ?? known?.columns ?? [],
      noChanges,
      changeFiles: files.filter(({ content }) => content === "changes").length,
      created: clock(),
    };
    const isAdded = await context.change(async (tables) => {
      if (!(await isNeeded(tables, build))) return false;
      await tables.sharing.insertFiles(files);
      if (isNew) await tables.sharing.insertVersion(version);
      await signTables(
        tables,
        { store, actor: "service", now: clock(), rules: options.rules },
        build,
        await digestsOf(tables, build),
      );
      return true;
    });
    if (isAdded) options.onWritten(version, files);
    else await removeAll(objects, files);
  } catch (error) {
    if (error instanceof ClaimEnded) await removeAll(objects, files);
    throw error;
  }
}

/** Whether the version still shares tables, and the build is still its current one. */
async function isNeeded({ versions }: Pick<Tables, "versions">, build: Build): Promise<boolean> {
  const version = await versions.byId(build.versionId);
  return version?.tables === true && version.currentBuildId === build.id && build.files.csvgz !== undefined;
}

class Work {
  readonly #options: TableJobOptions;
  readonly #build: Build;
  readonly #folder: Folder;
  readonly #signal: AbortSignal;
  #count = 0;

  constructor(options: TableJobOptions, work: { build: Build; folder: Folder; signal: AbortSignal }) {
    this.#options = options;
    this.#build = work.build;
    this.#folder = work.folder;
    this.#signal = work.signal;
  }

  /** Writes and stores the rows of the build. Returns the columns. */
  async write(
    files: SharedFile[],
    newOne: () => SharedFile,
    base?: { build: Build; strategy: NonNullable<Parameters<WriteTable>[0]["base"]>["strategy"] },
  ): Promise<SharedColumn[]> {
    const { objects, limits, maxFileBytes, writeTable } = this.#options;
    this.#count += 1;
    const directory = join(this.#folder.path, `output-${this.#count}`);
    await mkdir(directory, { mode: 0o700 });
    const written = await writeTable(
      {
        path: await this.#copyOf(this.#build),
        base: base && {
          path: await this.#copyOf(base.build),
          key: keyColumnsOf(this.#build),
          strategy: base.strategy,
        },
        columns: columnsIn(this.#build),
        directory,
        maxFileBytes,
        metadata: {
          "dbdepot.id": this.#build.versionId,
          "dbdepot.build_id": this.#build.id,
          "dbdepot.csvgz_sha256": this.#build.files.csvgz?.checksums.sha256 ?? "",
          ...(base && { "dbdepot.base_build_id": base.build.id }),
        },
      },
      limits,
      this.#signal,
    );
    for (const { path, rows, sizeBytes, sha256 } of written.files) {
      this.#signal.throwIfAborted();
      const file = { ...newOne(), rows, sizeBytes, sha256 };
      await objects.put(file.objectKey, createReadStream(path));
      files.push(file);
    }
    return written.columns;
  }

  /** Writes the changes between the two builds. Returns why they are unknown, or null if they are known. */
  async writeChanges(files: SharedFile[], base: Build, newOne: () => SharedFile): Promise<string | null> {
    // The changes would contain rows that must not be served.
    if (base.state === "withdrawn") return "the previous build was withdrawn";
    if (base.state !== "published") return "the previous build is no longer kept";
    const pair = { from: base.id, to: this.#build.id };
    const outcome = await outcomeOf(this.#options, pair, { before: base, after: this.#build }, this.#signal);
    if (outcome.state === "not_compared") return outcome.reason;
    await this.write(files, newOne, { build: base, strategy: outcome.strategy });
    return null;
  }

  #copyOf(build: Build): Promise<string> {
    const file = build.files.csvgz;
    if (!file) throw new Error(`build ${build.id} has no csv.gz`);
    return this.#folder.copyOf(this.#options.objects, file, `${build.id}.csv.gz`, this.#signal);
  }
}

function columnsIn({ metadata }: Build) {
  return (JSON.parse(metadata.toString("utf8")) as DatabaseMetadata).schema.csvgz ?? [];
}

function newFile(build: Build, of: Pick<SharedFile, "content" | "number">, now: Date): SharedFile {
  const { id: buildId, versionId } = build;
  const id = newId(now);
  const objectKey = sharedKeyOf({ versionId, buildId, id });
  return { id, versionId, buildId, ...of, objectKey, sizeBytes: 0, sha256: "", rows: 0, created: now, obsolete: null };
}

async function removeAll(objects: ObjectStore, files: readonly SharedFile[]): Promise<void> {
  for (const { objectKey } of files) await objects.remove(objectKey);
}

/** Removes files that a killed process stored but did not record. */
async function removeUnrecorded({ store, objects }: TableJobOptions, build: Build): Promise<void> {
  const found = await Array.fromAsync(objects.list(`${build.versionId}/${build.id}/`));
  const ids = found.flatMap(({ key }) => sharedIdOf(key, build.versionId) ?? []);
  const recorded = await store.sharing.existing(ids);
  for (const id of ids) {
    if (!recorded.has(id)) await objects.remove(sharedKeyOf({ versionId: build.versionId, buildId: build.id, id }));
  }
}
