/** Creates the files of a build from a CSV, on a thread of its own. */
import { parentPort, workerData } from "node:worker_threads";
import { isKnownType } from "@dbdepot/exporter/columns/column-spec";
import { type ExportResult, exportDatabase } from "@dbdepot/exporter/export";
import { ExportFault } from "@dbdepot/exporter/export-fault";
import type { ExportOptions } from "@dbdepot/exporter/options";

export type ExportTask = Omit<ExportOptions, "signal" | "onProgress" | "input" | "columns"> & {
  input: string;
  /** The columns of the current build. Types that only another exporter knows are inferred again. */
  columns: { name: string; type: string; description?: string | undefined }[];
};
export interface ExportProgress {
  stage: "reading" | "mmdb" | "sample";
  bytesRead: number;
  rows: number;
}
export type FromExportWorker = { progress: ExportProgress } | { result: ExportResult } | { faults: string[] };

const PROGRESS_MS = 100;

const stop = new AbortController();
let lastMs = 0;
parentPort?.on("message", () => stop.abort());

try {
  const task = workerData as ExportTask;
  const result = await exportDatabase({
    ...task,
    columns: task.columns.map(({ name, type, description }) => ({
      name,
      ...(isKnownType(type) && { type }),
      ...(description !== undefined && { description }),
    })),
    signal: stop.signal,
    onProgress(bytesRead, rows, stage) {
      const nowMs = performance.now();
      if (nowMs - lastMs < PROGRESS_MS) return;
      lastMs = nowMs;
      post({ progress: { stage, bytesRead, rows } });
    },
  });
  post({ result });
} catch (error) {
  if (error instanceof ExportFault) post({ faults: error.faults });
  else if (!stop.signal.aborted) throw error;
} finally {
  parentPort?.close();
}

function post(message: FromExportWorker): void {
  parentPort?.postMessage(message);
}
