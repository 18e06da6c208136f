import type { RetentionKind } from "@dbdepot/contract/operator/retention";
import { firstIdOf } from "../../platform/primitives/ids.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import { outdated, removeOutdated } from "../builds/outdated.ts";
import { oldestAttempt, removeOldAttempts } from "../downloads/retention.ts";
import type { Store } from "../store.ts";
import { clearInBatches, removeInBatches } from "./batches.ts";
import { oldestKept, type RetentionPolicy } from "./policy.ts";
import type { Amount, OldRows } from "./store.ts";

/** The state of the service that rules apply to. */
export interface Kept {
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
  preview(kept: Omit<Kept, "objects">): Promise<Amount>;
  /** Returns how many builds or rows it removed. Ends early when `signal` is aborted. */
  apply(kept: Kept, signal: AbortSignal): Promise<number>;
}

/** Everything that is removed by age or number, and by which setting. Each process that sweeps needs its own list. */
export function retentionRules(): RetentionRule[] {
  return [
    {
      kind: "builds",
      settings: ["DBDEPOT_BUILD_RETENTION_COUNT", "DBDEPOT_BUILD_RETENTION_DAYS"],
      isOn: ({ builds: { count, days } }) => count > 0 || days > 0,
      inWords: ({ builds }) => buildsInWords(builds),
      async preview({ store, policy, now }) {
        const builds = await outdated(store, policy.builds, now);
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
      what: "Deliveries to webhooks",
      daysOf: ({ deliveryDays }) => deliveryDays,
      rowsOf: ({ webhooks }) => webhooks.oldDeliveries,
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

/** Attempts reach the history late if they were spooled during an outage. */
const LATE_MS = 7 * 24 * 60 * 60 * 1000;

/** Remembers how far it got, because rows without addresses have no index: only the first sweep reads all of them. */
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
