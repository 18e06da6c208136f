import { join } from "node:path";
import type { Format } from "../../api/wire.gen.ts";
import { type DbdepotClient, fileOf } from "../../client.ts";
import type { DownloadMethod } from "../../download/options.ts";
import { baseDigest, methodOf } from "../../download/patch.ts";
import { verifyFile } from "../../download/verifier.ts";
import { DbdepotError } from "../../errors.ts";
import { inOneLine } from "../explanation.ts";
import { preferredFormat } from "../formats.ts";
import type { IntactFile, NewBuild, Round, TargetFile } from "./context.ts";
import { isIntact, sha256Of, statFile } from "./local-file.ts";
import { deleteOldCopies, keepOldCopy } from "./old-copies.ts";
import { nameOf, type Outcome } from "./outcome.ts";
import type { FileStatus, Status } from "./status.ts";

const PATCH_FAILURES_MAX = 2;
const NAMES = { patch: "patch", compressed: "compressed copy" } as const;

/** Updates one file. Never throws. */
export async function syncFile(round: Round, target: TargetFile, build: NewBuild): Promise<Outcome> {
  try {
    const recorded = await currentRecord(round, target, build);
    return recorded
      ? await confirmCurrent(round, { ...target, recorded }, build)
      : await updateFile(round, target, build);
  } catch (error) {
    return await recordFailure(round, target, error);
  }
}

/** The record of the file, if the file is intact and belongs to this build. */
async function currentRecord(
  { statusFile, settings, isForced, limit, client, signal }: Round,
  { database, format, file }: TargetFile,
  build: NewBuild,
): Promise<FileStatus | undefined> {
  const recorded = (await statusFile.read()).files[file];
  if (isForced || recorded?.database !== database) return undefined;
  if (!(await isIntact(join(settings.directory, file), recorded))) return undefined;
  if (build.manifest && recorded.sha256 !== fileOf(build.manifest, format).sha256) return undefined;
  if (build.buildId !== null) return recorded.build_id === build.buildId ? recorded : undefined;
  // The service does not send build ids, so compare digests.
  const { checksums } = await limit(() => client.checksums(database, format, { signal }));
  return checksums.sha256 === recorded.sha256 ? recorded : undefined;
}

/** Records that the service has confirmed the file as current. */
export async function confirmCurrent(
  { statusFile, settings }: Round,
  { recorded, ...target }: IntactFile,
  build?: NewBuild,
): Promise<Outcome> {
  const modifiedMs = (await statFile(join(settings.directory, target.file)))?.modifiedMs ?? recorded.modified_ms;
  const checked = new Date().toISOString();
  const now: FileStatus = { ...recorded, modified_ms: modifiedMs, checked, ...(build && { etag: build.etag }) };
  await statusFile.update((status) => {
    status.files[target.file] = now;
    clearFailures(status.failures, target);
  });
  const { build_id, updated, size_bytes } = now;
  return { ...target, result: "unchanged", build_id, updated, size_bytes };
}

async function updateFile(round: Round, target: TargetFile, build: NewBuild): Promise<Outcome> {
  const { settings, statusFile, limit } = round;
  const fetchFile = round.isDryRun ? plannedFile : downloadFile;
  const { sizeBytes, sha256, buildId, receivedBytes, method, patchFailure } = await limit(
    async () => (await existingFile(round, target, build)) ?? (await fetchFile(round, target, build)),
  );
  const isAnnounced = buildId === build.buildId;
  const now = new Date().toISOString();
  const status: FileStatus = {
    database: target.database,
    format: target.format,
    build_id: buildId,
    // Null if an even newer build was downloaded, so that the next round requests its metadata.
    etag: isAnnounced ? build.etag : null,
    is_preferred: target.format === preferredFormat(build.metadata),
    updated: isAnnounced ? build.metadata.updated : null,
    sha256,
    size_bytes: sizeBytes,
    modified_ms: (await statFile(join(settings.directory, target.file)))?.modifiedMs ?? 0,
    fetched: now,
    checked: now,
    method,
    received_bytes: receivedBytes,
    ...(patchFailure !== undefined && { patch_failure: patchFailure }),
  };
  await statusFile.update((all) => {
    const { files, failures, patch_failures: patchFailures, hook_pending: pending } = all;
    files[target.file] = status;
    clearFailures(failures, target);
    if (patchFailure !== undefined) countPatchFailure(all, target.file, patchFailure);
    else delete patchFailures?.[target.file];
    if (settings.hook !== undefined && !pending.includes(target.file)) pending.push(target.file);
  });
  const { build_id, updated, size_bytes } = status;
  const received = { received_bytes: receivedBytes, method, patch_failure: patchFailure ?? null };
  return { ...target, result: "changed", build_id, updated, size_bytes, ...received };
}

interface Received {
  sizeBytes: number;
  sha256: string;
  buildId: string | null;
  receivedBytes: number;
  method: DownloadMethod;
  patchFailure?: string | undefined;
}

/**
 * Recognizes a current file without a record: one downloaded by other means, or by a sync that was killed before it
 * could record it. It counts as changed, so that the hook runs.
 */
async function existingFile(
  { client, settings, signal, isForced }: Round,
  { database, format, file }: TargetFile,
  build: NewBuild,
): Promise<Received | undefined> {
  if (isForced) return undefined;
  const path = join(settings.directory, file);
  const found = await statFile(path);
  const sizeBytes = build.metadata.size?.[format];
  if (!found || (sizeBytes !== undefined && found.sizeBytes !== sizeBytes)) return undefined;
  const { sha256, buildId } = await digestOf(client, { database, format }, build, signal);
  if ((await sha256Of(path)) !== sha256) return undefined;
  return { sizeBytes: found.sizeBytes, sha256, buildId, receivedBytes: 0, method: "file" };
}

/** Returns the result that a download would have. The size comes from the metadata, where some services omit it. */
async function plannedFile(round: Round, target: TargetFile, build: NewBuild): Promise<Received> {
  const { client, settings, signal } = round;
  const { database, format, file } = target;
  const { sha256, buildId } = await digestOf(client, { database, format }, build, signal);
  const sizeBytes = build.metadata.size?.[format] ?? 0;
  const deltas = await deltasOf(round, target);
  const from = await baseDigest(format, { to: join(settings.directory, file), deltas });
  const whole: Received = { sizeBytes, sha256, buildId, receivedBytes: sizeBytes, method: "file" };
  if (from === undefined || from === sha256) return whole;
  const { patch } = await client.checksums(database, format, { build: buildId ?? undefined, from, signal });
  if (!patch) return whole;
  return { ...whole, receivedBytes: patch.size_bytes, method: methodOf(patch) };
}

/** After two patches in a row that could not be used, no patch is tried until a whole file has been downloaded without one. */
async function deltasOf({ settings, statusFile, isForced, log }: Round, { file }: TargetFile) {
  if (settings.deltas === "never" || isForced) return "never";
  const failure = (await statusFile.read()).patch_failures?.[file];
  if (!failure || failure.count < PATCH_FAILURES_MAX) return "auto";
  log(`${file}: not trying a patch, because ${failure.count} failed since ${failure.since}: ${failure.message}`);
  return "never";
}

/** Reads the digest from the signed manifest, or from the service if it does not sign builds. */
async function digestOf(
  client: DbdepotClient,
  { database, format }: Pick<TargetFile, "database" | "format">,
  build: NewBuild,
  signal: AbortSignal,
): Promise<{ sha256: string; buildId: string | null }> {
  if (build.manifest) return { sha256: fileOf(build.manifest, format).sha256, buildId: build.buildId };
  const pin = build.buildId ?? undefined;
  const { checksums, buildId } = await client.checksums(database, format, { build: pin, signal });
  return { sha256: checksums.sha256, buildId: buildId ?? build.buildId };
}

async function downloadFile(round: Round, target: TargetFile, build: NewBuild): Promise<Received> {
  const { client, settings, statusFile, signal, progress, log } = round;
  const { database, format, file } = target;
  const path = join(settings.directory, file);
  const recorded = (await statusFile.read()).files[file];
  const isWorthKeeping = settings.keep > 0 && (await isGood(path, format, recorded));
  const copy = isWorthKeeping ? await keepOldCopy(path, format, recorded?.updated ?? null) : undefined;
  if (copy) log(`${file}: keeping the old file as ${copy.path}`);
  log(`${file}: downloading build ${build.buildId ?? `from ${build.metadata.updated}`}`);
  const task = progress.begin(file);
  let patchFailure: string | undefined;
  try {
    const downloaded = await client.download(database, format, {
      to: path,
      build: build.buildId ?? undefined,
      ...(build.manifest && fileOf(build.manifest, format)),
      // The round has verified the manifest.
      verify: false,
      delivery: settings.delivery,
      deltas: await deltasOf(round, target),
      signal,
      onPatchFailure: (error) => {
        patchFailure = inOneLine(error);
        log(`${file}: ${patchFailure}; downloading the whole file`);
      },
      onProgress: ({ receivedBytes, totalBytes, resumedFromBytes }) =>
        task.update(receivedBytes, totalBytes ?? build.metadata.size?.[format], resumedFromBytes),
    });
    const { sizeBytes, sha256, buildId, resumedFromBytes, method, transferredBytes } = downloaded;
    if (method !== "file") log(`${file}: downloaded ${transferredBytes} of ${sizeBytes} bytes as a ${NAMES[method]}`);
    const resumed = resumedFromBytes > 0 ? `, resumed from byte ${resumedFromBytes}` : "";
    log(`${file}: verified ${sizeBytes} bytes${resumed}, sha256 ${sha256}`);
    // After --force, or if another sync was faster, the copy is the same file.
    if (copy && (await isSameFile(copy.path, sizeBytes, sha256))) await copy.discard();
    if (settings.keep > 0) await deleteOldCopies(path, format, settings.keep);
    return { sizeBytes, sha256, buildId, receivedBytes: transferredBytes, method, patchFailure };
  } catch (error) {
    await copy?.discard();
    const message = patchFailure;
    // If the status file cannot be written either, report the first error.
    if (message !== undefined) await statusFile.update((all) => countPatchFailure(all, file, message)).catch(() => {});
    throw error;
  } finally {
    task.end();
  }
}

function countPatchFailure(status: Status, file: string, message: string): void {
  const { since = new Date().toISOString(), count = 0 } = status.patch_failures?.[file] ?? {};
  status.patch_failures = { ...status.patch_failures, [file]: { since, count: count + 1, message } };
}

/** A damaged file must not displace a good old copy. Without a record, only the structure can be checked. */
async function isGood(path: string, format: Format, recorded: FileStatus | undefined): Promise<boolean> {
  if (!(await statFile(path))) return false;
  const { sha256, faults } = await verifyFile(path, format);
  return recorded ? sha256 === recorded.sha256 : faults.length === 0;
}

/** Returns false if another sync deletes the file in the meantime. */
async function isSameFile(path: string, sizeBytes: number, sha256: string): Promise<boolean> {
  return (await statFile(path))?.sizeBytes === sizeBytes && (await sha256Of(path).catch(() => "")) === sha256;
}

export async function recordFailure(
  { statusFile }: Round,
  target: Pick<Outcome, "database" | "file" | "format">,
  error: unknown,
): Promise<Outcome> {
  const kind = error instanceof DbdepotError ? error.kind : "disk";
  const failure = { kind, message: inOneLine(error) };
  if (kind !== "aborted") {
    const update = statusFile.update(({ failures }) => {
      const since = failures[nameOf(target)]?.since ?? new Date().toISOString();
      failures[nameOf(target)] = { since, ...failure };
    });
    // If the status file cannot be written either, report the first error.
    await update.catch(() => {});
  }
  return { ...target, result: "failed", error, ...failure };
}

function clearFailures(failures: Record<string, unknown>, { file, database }: TargetFile): void {
  delete failures[file];
  delete failures[database];
}
