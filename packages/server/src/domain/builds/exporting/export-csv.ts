import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { ByFileKind } from "@dbdepot/contract/shared/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import type { ExportResult } from "@dbdepot/exporter/export";
import type { Version } from "../../catalogue/version.ts";
import type { Operation } from "../../store.ts";
import type { Build } from "../build.ts";
import { openLocalFiles, readDocumentFile } from "../local-files.ts";
import type { ObjectStore } from "../object-store.ts";
import { discardBuild, stageBuild, stageFile } from "../publishing/stage.ts";
import { BuildRefused } from "../refusal.ts";
import type { ExportProgress, ExportTask, FromExportWorker } from "./export-worker.ts";

export type CsvProgress = ExportProgress | { stage: "storing"; bytesStored: number; totalBytes: number };

export interface CsvExport {
  version: Version;
  /** Its columns, schedule and sample size are used again, so that only the data is new. */
  current: Build | undefined;
  input: string;
  /** An empty directory for the files. */
  outDir: string;
  updated: string;
  updateFreq: string | undefined;
  onProgress(progress: CsvProgress): void;
  signal: AbortSignal;
}

/** Creates the files of a build from a CSV and stages them. Throws BuildRefused if the CSV is invalid. */
export async function stageCsv(
  operation: () => Operation,
  objects: ObjectStore,
  request: CsvExport,
): Promise<{ build: Build; warnings: string[] }> {
  const { version, onProgress, signal } = request;
  const made = await exportInWorker(taskOf(request), onProgress, signal);
  const paths = { ...pathsOf(made.files), ...pathsOf(made.sample?.files ?? {}, "sample_") };
  const { sources, totalBytes = 0 } = await openLocalFiles({ metadata: made.metadataPath, ...paths });
  const document = await readDocumentFile(made.metadataPath);
  const build = await stageBuild(operation(), { versionId: version.id, document });
  try {
    let bytesStored = 0;
    const onBytes = (count: number) => {
      signal.throwIfAborted();
      bytesStored += count;
      onProgress({ stage: "storing", bytesStored, totalBytes });
    };
    for (const [kind, source] of Object.entries(sources) as [keyof typeof sources, AsyncIterable<Buffer>][]) {
      await stageFile(operation(), objects, { build, kind, source, onBytes, recompress: false });
    }
    return { build, warnings: made.warnings };
  } catch (error) {
    await discardBuild(operation(), objects, build).catch(() => {});
    throw error;
  }
}

function taskOf({ version, current, input, outDir, updated, updateFreq }: CsvExport): ExportTask {
  const metadata = current && (JSON.parse(current.metadata.toString("utf8")) as DatabaseMetadata);
  const frequency = updateFreq ?? metadata?.update_freq;
  const sampleRows = metadata?.sample_entries;
  return {
    id: version.id,
    input,
    outDir,
    updated,
    formats: version.formats,
    ...(frequency !== undefined && { updateFreq: frequency }),
    ...(sampleRows !== undefined && { sampleRows }),
    columns: metadata?.schema.csvgz ?? [],
  };
}

async function exportInWorker(
  task: ExportTask,
  onProgress: (progress: ExportProgress) => void,
  signal: AbortSignal,
): Promise<ExportResult> {
  const worker = new Worker(new URL(`./export-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: task,
  });
  // The export stops by itself: Node.js aborts the process if a thread is terminated while it creates a compressor.
  const stop = () => worker.postMessage("stop");
  signal.addEventListener("abort", stop);
  let result: ExportResult | undefined;
  let faults: string[] | undefined;
  worker.on("message", (message: FromExportWorker) => {
    if ("progress" in message) onProgress(message.progress);
    else if ("result" in message) result = message.result;
    else faults = message.faults;
  });
  try {
    // Rejects with an error that the worker did not expect.
    await once(worker, "exit");
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  if (faults) throw new BuildRefused("faulty", faults);
  if (!result) throw new Error("the export ended without a result");
  return result;
}

function pathsOf(files: ExportResult["files"], prefix: "" | "sample_" = ""): ByFileKind<string> {
  return Object.fromEntries(Object.entries(files).map(([format, { path }]) => [`${prefix}${format}`, path]));
}
