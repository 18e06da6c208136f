import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import { ERRORS } from "@dbdepot/contract/shared/errors";
import type { Clock } from "../../platform/primitives/clock.ts";
import { Unavailable } from "../../platform/primitives/faults.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { Build } from "../builds/build.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import { type Attempt, newAttempt } from "../downloads/attempt.ts";
import type { History } from "../downloads/history.ts";
import { REFUSALS } from "../downloads/refusals.ts";
import { announce } from "../events/events.ts";
import type { JobContext } from "../jobs/runner.ts";
import type { LimitCounters } from "../limits/counters.ts";
import { LIMIT_REFUSALS } from "../limits/limits.ts";
import type { Store } from "../store.ts";
import { type Bucket, BucketError, type OpenBucket } from "./bucket.ts";
import {
  type BucketDelivery,
  type BucketDeliveryOutcome,
  type DeliveredBuild,
  type DeliveredDatabase,
  type DeliveredFile,
  type Destination,
  locationOf,
} from "./destination.ts";
import { INDEX_PATH, indexText, KEYS_PATH, keysText, latestPath, markerText, plannedFiles } from "./documents.ts";
import { completedEvent } from "./events.ts";
import { sendFile } from "./send.ts";
import { writeChain, writeManifest } from "./signed.ts";
import { type DeliveryRegister, rcOf, type Wanted } from "./wanted.ts";

const JSON_TYPE = "application/json";

export interface DeliveryOptions {
  store: Store;
  objects: Pick<ObjectStore, "read">;
  register: DeliveryRegister;
  limits: Pick<LimitCounters, "claim">;
  history: Pick<History, "record">;
  openBucket: OpenBucket;
  clock: Clock;
  onAttempt(attempt: Attempt, base: string): void;
  onDelivery(delivery: BucketDelivery): void;
}

/** A destination that is being brought up to date. */
export interface Delivering {
  destination: Destination;
  bucket: Bucket;
  context: JobContext;
  /** Everything that belongs into the bucket, for its catalogue. */
  wanted: readonly Wanted[];
}

/** What has arrived so far, also if the delivery fails. */
export interface Arrived {
  files: number;
  bytes: number;
  startedMs: number;
}

/**
 * Brings one database in a bucket up to date: files first, then the manifest, and last the marker that names them. Everything
 * that is written is recorded before, so a process that takes over continues, and deletes nothing that we did not write.
 */
export async function deliverDatabase(
  options: DeliveryOptions,
  delivering: Delivering,
  wanted: Wanted,
  known: DeliveredDatabase | undefined,
  arrived: Arrived,
): Promise<void> {
  const { version, build, refusal } = wanted;
  if (refusal)
    return recordRefusal(options, delivering, wanted, known, rcOf(refusal), REFUSALS[refusal].outcome, refusal);
  if (!build) return writeMarker(options, delivering, wanted, known, arrived);
  const { store, clock } = options;
  const { destination, bucket } = delivering;
  const before = (await store.destinations.builds(destination.id)).find(({ buildId }) => buildId === build.id);
  const planned = plannedFiles(wanted, build, clock());
  const files = planned.map((file) => before?.files.find(({ path }) => path === file.path) ?? file);
  const record: DeliveredBuild = {
    destinationId: destination.id,
    versionId: version.id,
    buildId: build.id,
    // Formats that are no longer chosen stay until the build is removed.
    files: [...files, ...(before?.files ?? []).filter(({ path }) => files.every((file) => file.path !== path))],
    named: before?.named ?? null,
  };
  await store.destinations.setBuild(record);
  for (const file of files) {
    if (file.isWritten) continue;
    if (!(await count(options, delivering, wanted, known, build, file))) return;
    await store.destinations.setBuild(record);
    await sendFile(options.objects, delivering, file, contentOf(build, file));
    file.isWritten = true;
    arrived.files += 1;
    arrived.bytes += file.sizeBytes;
    await store.destinations.setBuild(record);
  }
  for (const file of files) await checkWritten(options, delivering, record, file, bucket);
  await writeMarker(options, delivering, wanted, known, arrived, record, files);
}

/** Whether the file may be sent. It counts as a download, once for each build. */
async function count(
  { store, limits, history, clock, ...options }: DeliveryOptions,
  delivering: Delivering,
  wanted: Wanted,
  known: DeliveredDatabase | undefined,
  build: Build,
  file: DeliveredFile,
): Promise<boolean> {
  if (file.attemptId === null || file.kind === "metadata" || file.isCounted) return true;
  const { organizationId } = delivering.destination;
  const now = clock();
  const use = { bytes: file.sizeBytes, isDownload: true };
  using claim = await limits.claim(organizationId, { id: file.attemptId, use, isStream: false }, now);
  if (claim.refusal) {
    const { rc, outcome } = LIMIT_REFUSALS[claim.refusal];
    const all = { store, limits, history, clock, ...options };
    await recordRefusal(all, delivering, wanted, known, rc, outcome, claim.refusal, file.kind);
    return false;
  }
  const attempt = attemptOf(delivering.destination, wanted, file.kind, now, file.attemptId, {
    outcome: "ok",
    httpStatus: 200,
    bytes: file.sizeBytes,
    buildId: build.id,
    open: wanted.family.open,
  });
  await claim.settle(200, history.record(attempt));
  options.onAttempt(attempt, wanted.family.base);
  file.isCounted = true;
  return true;
}

/** The key of the file in our storage, or the file itself. */
function contentOf(build: Build, { kind }: DeliveredFile): string | Uint8Array {
  if (kind === "metadata") return build.metadata;
  const key = kind === "patch" ? undefined : build.files[kind]?.objectKey;
  if (key === undefined) throw new Unavailable(`build ${build.id} has no ${kind}`);
  return key;
}

/** A file that has disappeared or changed is written again by the next attempt. */
async function checkWritten(
  { store }: DeliveryOptions,
  { destination }: Delivering,
  record: DeliveredBuild,
  file: DeliveredFile,
  bucket: Bucket,
): Promise<void> {
  try {
    await bucket.check(file);
  } catch (error) {
    if (error instanceof BucketError && error.problem === "integrity") {
      file.isWritten = false;
      await store.destinations.setBuild({ ...record, destinationId: destination.id });
    }
    throw error;
  }
}

/** Makes what was written visible, and records that it was delivered. */
async function writeMarker(
  options: DeliveryOptions,
  delivering: Delivering,
  wanted: Wanted,
  known: DeliveredDatabase | undefined,
  arrived: Arrived,
  record?: DeliveredBuild,
  files: DeliveredFile[] = [],
): Promise<void> {
  const { register, clock } = options;
  const { destination, bucket, context } = delivering;
  const { family, version, build, manifest, contents, additions } = wanted;
  let sequence = known?.sequence ?? 0;
  if (manifest) {
    sequence = await writeChain(options, bucket, manifest, sequence);
    await bucket.write(KEYS_PATH, keysText(register), JSON_TYPE);
    await writeManifest(options, delivering, wanted, record);
    const present = await presentIn(options, delivering, wanted);
    await bucket.write(INDEX_PATH, indexText(register, destination, present, clock()), JSON_TYPE);
  }
  // Extends the claim for longer than the request can take, so no other process can have written a newer marker.
  await context.change(async () => {});
  await bucket.write(latestPath(version.id), markerText(wanted, build, files), JSON_TYPE);
  const now = clock();
  const outcome = build ? "delivered" : "withdrawn";
  const delivery = deliveryOf(destination, wanted, outcome, arrived, now);
  await context.change(async (tables) => {
    const { id: destinationId } = destination;
    const buildId = build?.id ?? null;
    const database = { destinationId, versionId: version.id, buildId, contents, sequence, additions, refusal: null };
    await tables.destinations.setDatabase(database);
    if (record) await tables.destinations.setBuild({ ...record, named: now });
    await tables.destinations.setProgress(destinationId, { failingSince: null, error: null, lastDelivered: now });
    await tables.destinations.addDelivery(delivery);
    if (build) await announce(tables, { now }, completedEvent(destination, family.base, delivery));
  });
  options.onDelivery(delivery);
}

/** The databases with a signed build in the bucket, including this one. */
async function presentIn({ store }: DeliveryOptions, { destination, wanted }: Delivering, current: Wanted) {
  const databases = await store.destinations.databases([destination.id]);
  const complete = new Set(databases.filter(({ sequence }) => sequence > 0).map(({ versionId }) => versionId));
  return wanted.filter(({ version: { id } }) => id === current.version.id || complete.has(id));
}

/** Records once that a build is not delivered, and why. */
async function recordRefusal(
  { store, history, clock, onAttempt, onDelivery }: DeliveryOptions,
  { destination }: Delivering,
  wanted: Wanted,
  known: DeliveredDatabase | undefined,
  rc: ErrorCode,
  outcome: Attempt["outcome"],
  cause: string,
  format?: DeliveredFile["kind"],
): Promise<void> {
  const { contents, version, family, formats } = wanted;
  if (known?.refusal?.contents === contents && known.refusal.rc === rc) return;
  const now = clock();
  const result = { outcome, cause, httpStatus: ERRORS[rc].status };
  const attempt = attemptOf(destination, wanted, format ?? formats[0] ?? "", now, newId(now), result);
  await history.record(attempt);
  onAttempt(attempt, family.base);
  const arrived = { files: 0, bytes: 0, startedMs: performance.now() };
  const delivery = { ...deliveryOf(destination, wanted, "refused", arrived, now), error: rc };
  await store.destinations.addDelivery(delivery);
  onDelivery(delivery);
  const none = { buildId: null, contents: "", sequence: 0, additions: "" };
  const first = { destinationId: destination.id, versionId: version.id, ...none };
  await store.destinations.setDatabase({ ...first, ...known, refusal: { contents, rc } });
}

/** A delivery is in the history like a download, with `delivery` as the client. */
function attemptOf(
  { organizationId, place }: Destination,
  { version }: Wanted,
  format: string,
  now: Date,
  id: string,
  result: Parameters<typeof newAttempt>[2],
): Attempt {
  const userAgent = `delivery (${locationOf(place)})`;
  const request = { id, api: "v2", datasetId: version.id, format, sample: false, clientIp: null, userAgent } as const;
  return newAttempt(request, { organizationId, keyId: null }, result, now);
}

function deliveryOf(
  { id: destinationId }: Destination,
  { version, build }: Pick<Wanted, "version" | "build">,
  outcome: BucketDeliveryOutcome,
  { files, bytes, startedMs }: Arrived,
  now: Date,
): BucketDelivery {
  return {
    id: newId(now),
    destinationId,
    versionId: version.id,
    buildId: build?.id ?? null,
    outcome,
    files,
    bytes,
    problem: null,
    error: null,
    durationMs: Math.round(performance.now() - startedMs),
    created: now,
  };
}
