import type { RetentionKind } from "@dbdepot/contract/operator/retention";
import { DAY_MS, oldestKept } from "../../platform/primitives/dates.ts";
import { firstIdOf } from "../../platform/primitives/ids.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import { allOutdatedBuilds, type BuildLimits, removeOutdated } from "../builds/retention.ts";
import type { Amount, OldRows } from "../old-rows.ts";
import type { Store } from "../store.ts";
import { oldestAttempt, removeOldAttempts } from "./attempts.ts";
import { clearInBatches, removeInBatches } from "./batches.ts";

/** How long the service keeps things, from its settings. 0 keeps them forever. */
export interface RetentionPolicy {
  historyDays: number;
  /** How long IP addresses and user agents are kept, which may be shorter than the rows that contain them. */
  addressDays: number;
  eventDays: number;
  deliveryDays: number;
  auditDays: number;
  builds: BuildLimits;
}

/** The state of the service that rules apply to. */
export interface RetentionContext {
  store: Store;
  objects: ObjectStore;
  policy: RetentionPolicy;
  now: Date;
}

interface RetentionRule {
  kind: RetentionKind;
  settings: readonly string[];
  /** Whether the settings remove anything. */
  isOn(policy: RetentionPolicy): boolean;
  /** The rule in words, if it is on. */
  inWords(policy: RetentionPolicy): string;
  /** Counts what `apply` would remove. */
  preview(context: Omit<RetentionContext, "objects">): Promise<Amount>;
  /** Returns how many builds or rows it removed. Ends early when `signal` is aborted. */
  apply(context: RetentionContext, signal: AbortSignal): Promise<number>;
}

/** Everything that is removed by age or number, and by which setting. Each process that applies them needs its own list. */
export function retentionRules(): RetentionRule[] {
  return [
    {
      kind: "builds",
      settings: ["DBDEPOT_BUILD_RETENTION_COUNT", "DBDEPOT_BUILD_RETENTION_DAYS"],
      isOn: ({ builds: { count, days } }) => count > 0 || days > 0,
      inWords: ({ builds }) => buildsInWords(builds),
      async preview({ store, policy, now }) {
        const builds = await allOutdatedBuilds(store, policy.builds, now);
        const files = builds.flatMap((build) => Object.values(build.files));
        const times = builds.map(({ created }) => created.getTime());
        return {
          count: builds.length,
          bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
          oldest: times.length === 0 ? null : new Date(Math.min(...times)),
        };
      },
      apply: ({ store, objects, policy, now }) =>
        removeOutdated({ store, actor: "service", now }, objects, policy.builds),
    },
    {
      kind: "history",
      settings: ["DBDEPOT_HISTORY_RETENTION_DAYS"],
      isOn: ({ historyDays }) => historyDays > 0,
      inWords: ({ historyDays }) => `Download attempts are deleted after ${days(historyDays)}.`,
      preview: async ({ store, policy, now }) =>
        store.attempts.amountBefore(await oldestAttempt(store, policy.historyDays, now)),
      apply: ({ store, policy, now }, signal) => removeOldAttempts(store, policy.historyDays, now, signal),
    },
    addressRule(),
    rowRule({
      kind: "events",
      setting: "DBDEPOT_EVENT_RETENTION_DAYS",
      what: "Events",
      daysOf: ({ eventDays }) => eventDays,
      rowsOf: ({ events }) => events,
    }),
    rowRule({
      kind: "deliveries",
      setting: "DBDEPOT_DELIVERY_RETENTION_DAYS",
      what: "Deliveries to webhooks and buckets",
      daysOf: ({ deliveryDays }) => deliveryDays,
      rowsOf: ({ webhooks, destinations }) => both(webhooks.oldDeliveries, destinations.oldDeliveries),
    }),
    rowRule({
      kind: "audit",
      setting: "DBDEPOT_AUDIT_RETENTION_DAYS",
      what: "Audit entries",
      daysOf: ({ auditDays }) => auditDays,
      rowsOf: ({ audit }) => audit,
    }),
  ];
}

interface RowRule {
  kind: RetentionKind;
  setting: string;
  what: string;
  daysOf(policy: RetentionPolicy): number;
  rowsOf(store: Store): OldRows;
}

function rowRule({ kind, setting, what, daysOf, rowsOf }: RowRule): RetentionRule {
  return {
    kind,
    settings: [setting],
    isOn: (policy) => daysOf(policy) > 0,
    inWords: (policy) => `${what} are deleted after ${days(daysOf(policy))}.`,
    preview: ({ store, policy, now }) => rowsOf(store).amountBefore(oldestKept(daysOf(policy), now)),
    apply: ({ store, policy, now }, signal) => removeInBatches(rowsOf(store), oldestKept(daysOf(policy), now), signal),
  };
}

function both(one: OldRows, other: OldRows): OldRows {
  return {
    removeBefore: async (time, limit) => (await one.removeBefore(time, limit)) || other.removeBefore(time, limit),
    async amountBefore(time) {
      const [first, second] = [await one.amountBefore(time), await other.amountBefore(time)];
      const times = [first, second].flatMap(({ oldest }) => (oldest ? [oldest.getTime()] : []));
      return {
        count: first.count + second.count,
        bytes: first.bytes + second.bytes,
        oldest: times.length === 0 ? null : new Date(Math.min(...times)),
      };
    },
  };
}

/** Attempts reach the history late if they were spooled during an outage. */
const LATE_MS = 7 * DAY_MS;

/** Remembers how far it got, because rows without addresses have no index: only the first run reads all of them. */
function addressRule(): RetentionRule {
  const positions = { attempts: "", audit: "" };
  return {
    kind: "addresses",
    settings: ["DBDEPOT_ADDRESS_DAYS"],
    isOn: ({ addressDays }) => addressDays > 0,
    inWords: ({ addressDays }) =>
      `IP addresses and user agents are removed from attempts, audit entries and sessions after ${days(addressDays)}.`,
    async preview({ store, policy, now }) {
      const { attempts, audit } = await addressesFrom(store, policy, now);
      const amounts = [await store.attempts.addressesBefore(attempts), await store.audit.addressesBefore(audit)];
      const times = amounts.flatMap(({ oldest }) => (oldest ? [oldest.getTime()] : []));
      return {
        count: amounts.reduce((sum, { count }) => sum + count, 0),
        bytes: amounts.reduce((sum, { bytes }) => sum + bytes, 0),
        oldest: times.length === 0 ? null : new Date(Math.min(...times)),
      };
    },
    async apply({ store, policy, now }, signal) {
      let total = await store.sessions.clearAddresses(oldestKept(policy.addressDays, now));
      const oldest = await addressesFrom(store, policy, now);
      for (const name of ["attempts", "audit"] as const) {
        const before = oldest[name];
        const { cleared, last } = await clearInBatches(store[name], { after: positions[name], before }, signal);
        total += cleared;
        const again = firstIdOf(new Date(before.getTime() - LATE_MS));
        positions[name] = last < again ? last : again;
      }
      return total;
    },
  };
}

/** The usage report counts the addresses of a day until the day is final. */
async function addressesFrom(store: Store, { addressDays }: RetentionPolicy, now: Date) {
  return { attempts: await oldestAttempt(store, addressDays, now), audit: oldestKept(addressDays, now) };
}

function buildsInWords({ count, days: age }: RetentionPolicy["builds"]): string {
  const byCount = `the newest ${count} of each version`;
  const byAge = `those that were replaced less than ${days(age)} ago`;
  const kept = count === 0 ? byAge : age === 0 ? byCount : `${byCount} and ${byAge}`;
  return `Builds are removed, except ${kept}. The current build and the one before it are always kept.`;
}

function days(count: number): string {
  return count === 1 ? "1 day" : `${count} days`;
}
