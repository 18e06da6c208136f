import { join } from "node:path";
import type { OutboxMailer } from "../adapters/mail/mailer.ts";
import { Comparer } from "../domain/builds/changes/comparer.ts";
import type { ObjectStore } from "../domain/builds/object-store.ts";
import { startEventMaintenance } from "../domain/events/maintenance.ts";
import { NoticeCourier } from "../domain/notices/courier.ts";
import { makePatchInThread } from "../domain/patches/make-patch.ts";
import { PATCH_DIRECTORY, PATCH_LIMITS, PatchMaker } from "../domain/patches/maker.ts";
import { startSweeper } from "../domain/retention/sweeper.ts";
import type { Store } from "../domain/store.ts";
import { startUsageUpdates } from "../domain/usage/updater.ts";
import { Dispatcher } from "../domain/webhooks/dispatcher.ts";
import type { Sender } from "../domain/webhooks/sender.ts";
import type { DeliveryOutcome } from "../domain/webhooks/webhook.ts";
import { loadKeys } from "../register/load-keys.ts";
import type { Register } from "../register/register.ts";
import type { Start } from "./start.ts";

/** Counts downloads, removes what the settings no longer keep, and adds the events that are due. */
export function startMaintenance(
  { settings, clock, metrics, opened, onFailure }: Start,
  store: Store,
  objects: ObjectStore,
): void {
  const sweeper = startSweeper({
    store,
    objects,
    policy: settings.retention,
    clock,
    onRemoved: (kind, count) => metrics.retentionRemoved.inc({ kind }, count),
    onFailure: (kind, error) => onFailure(`old ${kind} could not be removed`, error),
  });
  opened.defer(() => sweeper.stop());
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

export function startComparer(
  { clock, metrics, opened, onFailure }: Start,
  parts: { store: Store; objects: ObjectStore; register: Register },
): Comparer {
  const onCompared = (result: string) => metrics.comparisons.inc({ result });
  const comparer = new Comparer({ ...parts, clock, onCompared, onFailure });
  comparer.start();
  opened.defer(() => comparer.stop());
  return comparer;
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

/** Writes and sends notifications, if the server sends e-mail. */
export function startCourier(
  { settings, clock, metrics, opened, onFailure }: Start,
  parts: { store: Store; register: Register; mailer: OutboxMailer | undefined; publicUrl(): string },
): void {
  const { store, register, mailer, publicUrl } = parts;
  const { digestHour: hour, operatorMail, brand } = settings;
  if (!mailer || hour === null) return;
  const letterhead = () => ({ brand, publicUrl: publicUrl() });
  const onAttempt = (result: string) => metrics.mails.inc({ result });
  const courier = new NoticeCourier({
    store,
    register,
    mailer,
    letterhead,
    hour,
    operatorMail,
    clock,
    onAttempt,
    onFailure,
  });
  courier.start();
  opened.defer(() => courier.stop());
}

/** Makes patches, unless the settings leave that to another machine, and removes superseded ones. */
export function startPatchMaker(
  { settings, clock, log, metrics, opened, onFailure }: Start,
  store: Store,
  objects: ObjectStore,
) {
  const maker = new PatchMaker({
    store,
    objects,
    clock,
    bases: settings.patchBases,
    directory: join(settings.dataDir, PATCH_DIRECTORY),
    limits: PATCH_LIMITS,
    linkTtlSeconds: settings.linkTtlSeconds,
    makePatch: makePatchInThread,
    onPatch(patch) {
      const { versionId, format, baseBuildId, file, reason, durationMs } = patch;
      metrics.patches.inc({ format, outcome: file ? "made" : "dropped" });
      const facts = { version: versionId, format, from: baseBuildId, bytes: file?.sizeBytes, reason, ms: durationMs };
      log.info(facts, file ? "made a patch" : "dropped a patch");
    },
    onFailure,
  });
  maker.start();
  opened.defer(() => maker.stop());
}
