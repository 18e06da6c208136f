import { join } from "node:path";
import type { Format } from "../../api/wire.gen.ts";
import { type DbdepotClient, fileOf } from "../../client.ts";
import type { DownloadMethod, DownloadOptions } from "../../download/options.ts";
import { baseDigest, EMPTY_SHA256, methodOf } from "../../download/patch.ts";
import { isPatchOffered } from "../../download/patch-offer.ts";
import { verifyFile } from "../../download/verifier.ts";
import { DbdepotError } from "../../errors.ts";
import type { Freshness } from "../../proof/results.ts";
import { inOneLine } from "../explanation.ts";
import { preferredFormat } from "../formats.ts";
import type { IntactFile, NewBuild, Round, TargetFile } from "./context.ts";
import { isIntact, sha256Of, statFile } from "./local-file.ts";
import { deleteOldCopies, keepOldCopy } from "./old-copies.ts";
import { nameOf, type Outcome } from "./outcome.ts";
import { type FileStatus, readSeenByHook, type Status } from "./status.ts";

type Deltas = DownloadOptions["deltas"];

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
  build: Partial<Pick<NewBuild, "etag">> & Pick<NewBuild, "freshness">,
): Promise<Outcome> {
  const modifiedMs = (await statFile(join(settings.directory, target.file)))?.modifiedMs ?? recorded.modified_ms;
  const checked = new Date().toISOString();
  const { etag = recorded.etag, freshness } = build;
  const now: FileStatus = { ...recorded, modified_ms: modifiedMs, checked, etag, ...freshnessFields(freshness) };
  await statusFile.update((status) => {
    status.files[target.file] = now;
    clearFailures(status.failures, target);
  });
  const { build_id, updated, size_bytes } = now;
  return { ...target, result: "unchanged", build_id, updated, size_bytes, ...outcomeFreshness(now) };
}

async function updateFile(round: Round, target: TargetFile, build: NewBuild): Promise<Outcome> {
  const { settings, statusFile, limit } = round;
  const fetchFile = round.isDryRun ? plannedFile : downloadFile;
  const recorded = (await statusFile.read()).files[target.file];
  const existing = await limit(() => existingFile(round, target, build));
  const deltas = existing ? "never" : await deltasOf(round, target);
  if (!existing && !round.isDryRun) await awaitPatch(round, target, build, deltas);
  const received = existing ?? (await limit(() => fetchFile(round, target, build, deltas)));
  const { sizeBytes, sha256, buildId, receivedBytes, method, patchFailure } = received;
  // A file that was not downloaded has changed if it differs from what is recorded, or from what the hook last saw.
  const hasChanged = !existing || (recorded !== undefined && recorded.sha256 !== sha256);
  const needsHook = !existing || (await readSeenByHook(settings))[target.file] !== sha256;
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
    ...freshnessFields(build.freshness ?? recordedFreshness(recorded)),
  };
  await statusFile.update((all) => {
    const { files, failures, patch_failures: patchFailures, hook_pending: pending } = all;
    files[target.file] = status;
    clearFailures(failures, target);
    if (patchFailure !== undefined) countPatchFailure(all, target.file, patchFailure);
    else delete patchFailures?.[target.file];
    if (needsHook && settings.hook !== undefined && !pending.includes(target.file)) pending.push(target.file);
  });
  const { build_id, updated, size_bytes } = status;
  const fresh = outcomeFreshness(status);
  if (!hasChanged) return { ...target, result: "unchanged", build_id, updated, size_bytes, ...fresh };
  const how = { received_bytes: receivedBytes, method, patch_failure: patchFailure ?? null };
  return { ...target, result: "changed", build_id, updated, size_bytes, ...how, ...fresh };
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
 * could record it.
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

/** Waits outside of the limit, so that other files can be downloaded meanwhile. */
async function awaitPatch(
  { client, settings, signal, limit, log }: Round,
  { database, format, file }: TargetFile,
  build: NewBuild,
  deltas: Deltas,
): Promise<void> {
  const from = await limit(() => baseDigest(format, { to: join(settings.directory, file), deltas }));
  if (from === undefined || from === EMPTY_SHA256) return;
  const ask = () => client.checksums(database, format, { build: build.buildId ?? undefined, from, signal });
  const onPatchWait = () => log(`${file}: waiting for the patch from the file on disk, which the service is making`);
  await isPatchOffered(() => limit(ask), { signal, onPatchWait });
}

/** Returns the result that a download would have. The size comes from the metadata, where some services omit it. */
async function plannedFile(
  { client, settings, signal }: Round,
  target: TargetFile,
  build: NewBuild,
  deltas: Deltas,
): Promise<Received> {
  const { database, format, file } = target;
  const { sha256, buildId } = await digestOf(client, { database, format }, build, signal);
  const sizeBytes = build.metadata.size?.[format] ?? 0;
  const from = await baseDigest(format, { to: join(settings.directory, file), deltas });
  const whole: Received = { sizeBytes, sha256, buildId, receivedBytes: sizeBytes, method: "file" };
  if (from === undefined || from === sha256) return whole;
  const pin = buildId ?? undefined;
  for (const base of new Set([from, ...(format === "mmdb" ? [EMPTY_SHA256] : [])])) {
    const { patch } = await client.checksums(database, format, { build: pin, from: base, signal });
    if (patch) return { ...whole, receivedBytes: patch.size_bytes, method: methodOf(patch) };
  }
  return whole;
}

/** After two patches in a row that could not be used, no patch is tried until a whole file has been downloaded without one. */
async function deltasOf({ settings, statusFile, isForced, log }: Round, { file }: TargetFile): Promise<Deltas> {
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

async function downloadFile(round: Round, target: TargetFile, build: NewBuild, deltas: Deltas): Promise<Received> {
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
      ...(build.buildId !== null && { sizeBytes: build.metadata.size?.[format] }),
      ...(build.manifest && fileOf(build.manifest, format)),
      // The round has verified the manifest.
      verify: false,
      delivery: settings.delivery,
      deltas,
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

/** What is recorded of a statement. Without a new one, what was recorded stays, so that health says when it ended. */
function freshnessFields(freshness: Pick<Freshness, "issued" | "valid_until"> | undefined): Partial<FileStatus> {
  return freshness ? { current_as_of: freshness.issued, valid_until: freshness.valid_until } : {};
}

function recordedFreshness(recorded: FileStatus | undefined) {
  const { current_as_of: issued, valid_until } = recorded ?? {};
  return issued && valid_until ? { issued, valid_until } : undefined;
}

function outcomeFreshness({ current_as_of, valid_until }: FileStatus) {
  return { current_as_of: current_as_of ?? null, valid_until: valid_until ?? null };
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
