import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { CsvQuery, CsvStep } from "@dbdepot/contract/operator/builds";
import type { FastifyReply } from "fastify";
import { type CsvProgress, stageCsv } from "../../domain/builds/exporting/export-csv.ts";
import { BuildRefused } from "../../domain/builds/refusal.ts";
import { requireVersion } from "../../domain/catalogue/catalogue.ts";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { CallerContext } from "../endpoint.ts";
import { rawBody, uploadOf } from "./upload.ts";

/** An export occupies a thread, and memory that grows with the number of networks. */
const MAX_EXPORTS = 2;
const PROGRESS_MS = 250;

let running = 0;

/**
 * Receives a CSV, plain or gzipped, and creates a build from it that can be checked and published. The response is a line
 * of JSON for each step of progress; the last one has the build, or what is wrong with the CSV. If the client disconnects,
 * everything is deleted.
 */
export async function createFromCsv(context: CallerContext<CsvQuery>): Promise<FastifyReply> {
  const { services, request, reply, query } = context;
  const version = await requireVersion(services.store, query.version);
  if (running >= MAX_EXPORTS) throw conflict("other CSV files are being exported: try again in a minute");
  running += 1;
  const directory = join(services.exportDirectory, newId(context.now));
  try {
    await removeLeftovers(services.exportDirectory);
    await mkdir(join(directory, "out"), { recursive: true });
    await pipeline(rawBody(request), createWriteStream(join(directory, "input.csv")));
    const { size } = await stat(join(directory, "input.csv"));
    const current =
      version.currentBuildId === null ? undefined : await services.store.builds.byId(version.currentBuildId);
    const steps = exportSteps(context, { version, current, directory, totalBytes: size });
    const close = async () => {
      running -= 1;
      await rm(directory, { recursive: true, force: true });
    };
    // Proxies must pass the lines on as they come.
    reply.header("content-type", "application/x-ndjson").header("x-accel-buffering", "no");
    return reply.send(Readable.from(lines(steps, close)));
  } catch (error) {
    running -= 1;
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function* lines(steps: AsyncIterable<CsvStep>, close: () => Promise<void>): AsyncGenerator<string> {
  try {
    for await (const step of steps) yield `${JSON.stringify(step)}\n`;
  } finally {
    await close();
  }
}

type Source = Pick<Parameters<typeof stageCsv>[2], "version" | "current"> & { directory: string; totalBytes: number };

async function* exportSteps(
  { services, operation, query }: CallerContext<CsvQuery>,
  { version, current, directory, totalBytes }: Source,
): AsyncGenerator<CsvStep> {
  const stop = new AbortController();
  let latest: CsvProgress = { stage: "reading", bytesRead: 0, rows: 0 };
  let isDone = false;
  const work = stageCsv(() => ({ ...operation, now: services.clock() }), services.objects, {
    version,
    current,
    input: join(directory, "input.csv"),
    outDir: join(directory, "out"),
    updated: query.updated ?? services.clock().toISOString().slice(0, "YYYY-MM-DD".length),
    updateFreq: query.update_freq,
    onProgress: (progress) => {
      latest = progress;
    },
    signal: stop.signal,
  }).finally(() => {
    isDone = true;
  });
  // Awaited below.
  work.catch(() => {});
  try {
    while (!isDone) {
      yield toStep(latest, totalBytes);
      await Promise.race([work.catch(() => {}), delay(PROGRESS_MS)]);
    }
    const { build, warnings } = await work;
    yield { stage: "done", build: await uploadOf(services, build), warnings };
  } catch (error) {
    if (!(error instanceof BuildRefused)) services.console.onError("a CSV could not be exported", error);
    yield { stage: "failed", faults: error instanceof BuildRefused ? [...error.faults] : [(error as Error).message] };
  } finally {
    stop.abort();
    await work.catch(() => {});
  }
}

function toStep(progress: CsvProgress, inputBytes: number): CsvStep {
  if (progress.stage === "storing") {
    return { stage: "storing", done_bytes: progress.bytesStored, total_bytes: progress.totalBytes };
  }
  const { stage, bytesRead, rows } = progress;
  return { stage, rows, ...(stage === "reading" && { done_bytes: bytesRead, total_bytes: inputBytes }) };
}

/** Deletes what processes that crashed have left behind. */
async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > DAY_MS) await rm(path, { recursive: true, force: true });
  }
}
