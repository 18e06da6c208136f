import { join } from "node:path";
import { isQuiet } from "../domain/backup/quiet.ts";
import { comparisonJob } from "../domain/builds/changes/comparison-job.ts";
import type { ObjectStore } from "../domain/builds/object-store.ts";
import { purgeJob } from "../domain/builds/purge-job.ts";
import type { OpenBucket } from "../domain/destinations/bucket.ts";
import type { DeliveryOptions } from "../domain/destinations/deliver.ts";
import { deliveryJob, planningJob } from "../domain/destinations/jobs.ts";
import type { History } from "../domain/downloads/history.ts";
import { JobRunner } from "../domain/jobs/runner.ts";
import type { LimitCounters } from "../domain/limits/counters.ts";
import { freshnessJob } from "../domain/manifests/freshness-job.ts";
import { DigestWriter } from "../domain/notices/digests.ts";
import { PATCH_DIRECTORY, PATCH_LIMITS, patchJob } from "../domain/patches/job.ts";
import { makePatchInThread } from "../domain/patches/make-patch.ts";
import { removalJob } from "../domain/patches/removal.ts";
import { startEventMaintenance } from "../domain/reminders/maintenance.ts";
import { startRetention } from "../domain/retention/loop.ts";
import { TABLE_DIRECTORY, TABLE_FILE_MAX_BYTES, TABLE_LIMITS, tableJob } from "../domain/sharing/job.ts";
import { tableRemovalJob } from "../domain/sharing/removal.ts";
import { writeTableInThread } from "../domain/sharing/write-table.ts";
import type { Store } from "../domain/store.ts";
import { startUsageUpdates } from "../domain/usage/updater.ts";
import { Dispatcher } from "../domain/webhooks/dispatcher.ts";
import type { Sender } from "../domain/webhooks/sender.ts";
import type { DeliveryOutcome } from "../domain/webhooks/webhook.ts";
import { loadKeys } from "../register/load-keys.ts";
import type { Register } from "../register/register.ts";
import { freshnessRules, rulesOf } from "../settings/rules.ts";
import type { Start } from "./start.ts";

/** Counts downloads, removes what the settings no longer keep, and adds the events that are due. */
export function startMaintenance(
  { settings, clock, metrics, opened, onFailure }: Start,
  store: Store,
  objects: ObjectStore,
): void {
  const retention = startRetention({
    store,
    objects,
    policy: settings.retention,
    clock,
    onRemoved: (kind, count) => metrics.retentionRemoved.inc({ kind }, count),
    onFailure: (kind, error) => onFailure(`old ${kind} could not be removed`, error),
  });
  opened.defer(() => retention.stop());
  const usage = startUsageUpdates({
    usage: store.usage,
    clock,
    onUpdate: (seconds) => metrics.usageUpdateSeconds.observe(seconds),
    onFailure(error) {
      metrics.usageUpdateFailures.inc();
      onFailure("usage totals could not be updated; retrying", error);
    },
  });
  opened.defer(() => usage.stop());
  const upkeep = startEventMaintenance(store, clock, (error) =>
    onFailure("events could not be updated; retrying", error),
  );
  opened.defer(() => upkeep.stop());
}

export function startKeyLoader({ opened, onFailure }: Start, register: Register): void {
  const keyLoader = loadKeys(register, (error) => onFailure("failed to load keys; retrying", error));
  opened.defer(() => keyLoader.stop());
}

interface JobParts {
  store: Store;
  objects: ObjectStore;
  register: Register;
  history: History;
  limits: LimitCounters;
  openBucket: OpenBucket;
}

/** Runs the jobs of every type. Patches are left to other processes if the settings say so. */
export function startJobs(
  { settings, clock, log, metrics, opened, onFailure }: Start,
  { register, history, limits, openBucket, ...parts }: JobParts,
): JobRunner {
  const { store } = parts;
  const freshness = freshnessRules(settings);
  const delivering: DeliveryOptions = {
    ...parts,
    register,
    history,
    limits,
    openBucket,
    clock,
    onAttempt: ({ outcome }, family) => metrics.attempts.inc({ outcome, family }),
    onDelivery({ destinationId, versionId, buildId, outcome, bytes, error, durationMs: ms }) {
      metrics.bucketDeliveries.inc({ outcome });
      metrics.bucketBytes.inc(bytes);
      const facts = { destination: destinationId, version: versionId, build: buildId, outcome, bytes, error, ms };
      log.info(facts, "delivered to a bucket");
    },
  };
  const make_patches = patchJob({
    ...parts,
    clock,
    bases: settings.patchBases,
    selection: "downloaded",
    directory: join(settings.dataDir, PATCH_DIRECTORY),
    limits: PATCH_LIMITS,
    makePatch: makePatchInThread,
    onPatch(patch) {
      const { versionId, format, baseBuildId, file, reason, durationMs } = patch;
      metrics.patches.inc({ format, outcome: file ? "made" : "dropped" });
      const facts = { version: versionId, format, from: baseBuildId, bytes: file?.sizeBytes, reason, ms: durationMs };
      log.info(facts, file ? "made a patch" : "dropped a patch");
    },
  });
  const purge_build = purgeJob({
    ...parts,
    command: settings.purgeCommand,
    isQuiet: () => isQuiet(store),
    onPurged: (build, paths) => log.info({ build, paths }, "purged a withdrawn build from the CDN"),
  });
  const write_tables = tableJob({
    ...parts,
    clock,
    directory: join(settings.dataDir, TABLE_DIRECTORY),
    limits: TABLE_LIMITS,
    maxFileBytes: TABLE_FILE_MAX_BYTES,
    writeTable: writeTableInThread,
    rules: rulesOf(settings),
    onWritten({ versionId, number, buildId, noChanges }, files) {
      metrics.tables.inc({ result: "written" });
      const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      log.info(
        { version: versionId, table_version: number, build: buildId, bytes, no_changes: noChanges },
        "wrote a table",
      );
    },
    onFailed: () => metrics.tables.inc({ result: "failed" }),
  });
  const runner = new JobRunner({
    store,
    clock,
    handlers: {
      compare_builds: comparisonJob({ ...parts, clock, onCompared: (result) => metrics.comparisons.inc({ result }) }),
      ...(settings.patchBases > 0 && { make_patches }),
      write_tables,
      remove_tables: tableRemovalJob({ ...parts, clock, linkTtlSeconds: settings.tableLinkTtlSeconds }),
      ...(freshness.lifeMs > 0 && { renew_freshness: freshnessJob({ store, clock, freshness }) }),
      remove_patches: removalJob({ ...parts, clock, linkTtlSeconds: settings.linkTtlSeconds }),
      ...(settings.purgeCommand !== "" && { purge_build }),
      plan_deliveries: planningJob(delivering),
      deliver_builds: deliveryJob(delivering),
    },
    onFailure,
  });
  runner.start(register);
  opened.defer(() => runner.stop());
  return runner;
}

export function startDispatcher(
  { clock, metrics, opened, onFailure }: Start,
  parts: { store: Store; register: Register; sender: Sender },
): void {
  const onDelivery = (outcome: DeliveryOutcome) => metrics.webhookDeliveries.inc({ outcome });
  const dispatcher = new Dispatcher({ ...parts, clock, onDelivery, onFailure });
  dispatcher.start();
  opened.defer(() => dispatcher.stop());
}

/** Writes notifications, if the server sends e-mail. */
export function startDigests(
  { settings, clock, opened, onFailure }: Start,
  parts: { store: Store; register: Register; publicUrl(): string },
): void {
  const { store, register, publicUrl } = parts;
  const { digestHour: hour, operatorMail, brand, mail } = settings;
  if (!mail || hour === null) return;
  const letterhead = () => ({ brand, publicUrl: publicUrl() });
  const digests = new DigestWriter({ store, register, letterhead, hour, operatorMail, clock, onFailure });
  digests.start();
  opened.defer(() => digests.stop());
}
