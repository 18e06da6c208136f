import { DAY_MS } from "../../platform/primitives/dates.ts";
import { newId } from "../../platform/primitives/ids.ts";
import { isQuiet } from "../backup/quiet.ts";
import { announce } from "../events/events.ts";
import { enqueue } from "../jobs/jobs.ts";
import type { JobContext, JobHandler } from "../jobs/runner.ts";
import { type Bucket, BucketError } from "./bucket.ts";
import { removeOldBuilds } from "./clean-up.ts";
import { type Arrived, type DeliveryOptions, deliverDatabase } from "./deliver.ts";
import type { BucketDelivery, DeliveredDatabase, Destination } from "./destination.ts";
import { save } from "./destinations.ts";
import { failedEvent } from "./events.ts";
import { renew } from "./signed.ts";
import { isOutdated, isUnrenewed, type Wanted, wantedBy } from "./wanted.ts";

const PAUSE_AFTER_MS = DAY_MS;

type Planning = Pick<DeliveryOptions, "store" | "register" | "clock">;

/**
 * Requests a delivery to every bucket that lacks something, or has something that was withdrawn. It looks at the state only, so
 * it does not matter what has changed: a build, a licence, accepted terms or a limit.
 */
export function planningJob({ store, register, clock }: Planning): JobHandler<"plan_deliveries"> {
  return {
    async run() {
      if (await isQuiet(store)) return;
      const destinations = await store.destinations.deliverable();
      if (destinations.length === 0) return;
      await register.refresh();
      const withWithdrawn = await store.destinations.withWithdrawn();
      const databases = await store.destinations.databases(destinations.map(({ id }) => id));
      const known = Map.groupBy(databases, ({ destinationId }) => destinationId);
      for (const destination of destinations) {
        const { outdated, unrenewed } = compare(wantedBy(register, destination, clock()), known.get(destination.id));
        if (outdated.length + unrenewed.length === 0 && !withWithdrawn.has(destination.id)) continue;
        await enqueue(store, "deliver_builds", { destinationId: destination.id }, clock());
      }
    },
  };
}

/** A delivery that has begun. */
interface Begun {
  wanted: Wanted;
  arrived: Arrived;
}

/** Brings one bucket up to date. If it fails, the job is attempted again until the destination is paused. */
export function deliveryJob(options: DeliveryOptions): JobHandler<"deliver_builds"> {
  const { store, register, openBucket, clock } = options;
  return {
    async run({ destinationId }, context) {
      if (await isQuiet(store)) return;
      const destination = (await store.destinations.deliverable(destinationId))[0];
      if (!destination) return;
      let bucket: Bucket | undefined;
      let begun: Begun | undefined;
      try {
        bucket = await openBucket(destination);
        const handled = new Set<string>();
        // Builds that are published meanwhile are delivered too.
        for (let isDone = false; !isDone; ) {
          await register.refresh();
          const all = wantedBy(register, destination, clock());
          const { known, outdated, unrenewed } = compare(all, await store.destinations.databases([destinationId]));
          const delivering = { destination, bucket, context, wanted: all };
          // Renewed first: a statement may end while a large build is delivered.
          for (const [wanted, database] of unrenewed) {
            context.signal.throwIfAborted();
            begun = begin(wanted);
            await renew(options, delivering, wanted, database);
            begun = undefined;
          }
          const next = outdated.find(({ version, contents }) => !handled.has(`${version.id} ${contents}`));
          if (next) {
            context.signal.throwIfAborted();
            handled.add(`${next.version.id} ${next.contents}`);
            begun = begin(next);
            await deliverDatabase(options, delivering, next, known.get(next.version.id), begun.arrived);
            begun = undefined;
          }
          await removeOldBuilds(options, { destination, bucket, context }, all);
          isDone = next === undefined;
        }
        await recordSuccess(destination, context);
      } catch (error) {
        if (!(error instanceof BucketError) || context.signal.aborted) throw error;
        if ((await fail(options, destination, context, error, begun)) === "retry") throw error;
      } finally {
        bucket?.close();
      }
    },
  };
}

const begin = (wanted: Wanted): Begun => ({ wanted, arrived: { files: 0, bytes: 0, startedMs: performance.now() } });

function compare(all: readonly Wanted[], databases: readonly DeliveredDatabase[] = []) {
  const known = new Map(databases.map((database) => [database.versionId, database]));
  const unrenewed = all.flatMap((each): [Wanted, DeliveredDatabase][] => {
    const database = known.get(each.version.id);
    return database && isUnrenewed(each, database) ? [[each, database]] : [];
  });
  return { known, unrenewed, outdated: all.filter((each) => isOutdated(each, known.get(each.version.id))) };
}

/** Also ends a failure after which nothing had to be delivered. */
async function recordSuccess({ id, progress }: Destination, { change }: JobContext): Promise<void> {
  if (progress.failingSince === null) return;
  await change(async (tables) => {
    const lastDelivered = (await tables.destinations.byId(id))?.progress.lastDelivered ?? null;
    await tables.destinations.setProgress(id, { failingSince: null, error: null, lastDelivered });
  });
}

/** Records the failure. After a day without success, the destination is paused. */
async function fail(
  { store, clock, onDelivery }: DeliveryOptions,
  { id }: Destination,
  context: JobContext,
  { problem, message: error }: BucketError,
  begun: Begun | undefined,
): Promise<"retry" | "paused"> {
  const now = clock();
  const delivery: BucketDelivery = {
    id: newId(now),
    destinationId: id,
    versionId: begun?.wanted.version.id ?? "",
    buildId: begun?.wanted.build?.id ?? null,
    outcome: "failed",
    files: begun?.arrived.files ?? 0,
    bytes: begun?.arrived.bytes ?? 0,
    problem,
    error,
    durationMs: begun ? Math.round(performance.now() - begun.arrived.startedMs) : 0,
    created: now,
  };
  const isPaused = await context.change(async (tables) => {
    const before = await tables.destinations.byId(id);
    if (!before) return true;
    const { failingSince, lastDelivered } = before.progress;
    const isLong = failingSince !== null && now.getTime() - failingSince.getTime() >= PAUSE_AFTER_MS;
    await tables.destinations.setProgress(id, { failingSince: failingSince ?? now, error, lastDelivered });
    await tables.destinations.addDelivery(delivery);
    const after: Destination = isLong ? { ...before, paused: { at: now, reason: "failing" } } : before;
    if (isLong) await save(tables, { store, actor: "service", now }, before, after, "destination.paused");
    if (isLong || failingSince === null) await announce(tables, { now }, failedEvent(after, delivery));
    return isLong;
  });
  onDelivery(delivery);
  return isPaused ? "paused" : "retry";
}
