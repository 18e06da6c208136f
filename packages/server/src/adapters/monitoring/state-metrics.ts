import { JOB_STATES } from "@dbdepot/contract/operator/jobs";
import { Gauge } from "@prometheus-io/client";
import type { AuditStore } from "../../domain/audit/store.ts";
import type { CopyStore } from "../../domain/backup/store.ts";
import type { DestinationStore } from "../../domain/destinations/store.ts";
import type { JobCount, JobStore } from "../../domain/jobs/store.ts";
import { JOB_NAMES } from "../../domain/jobs/types.ts";
import { endsBefore } from "../../domain/licences/licence.ts";
import type { MailStore } from "../../domain/mail/store.ts";
import { activeFreshnessKey } from "../../domain/manifests/freshness.ts";
import type { ChainEntry } from "../../domain/manifests/manifest.ts";
import { activeKey } from "../../domain/manifests/sign.ts";
import type { RequestStore } from "../../domain/requests/store.ts";
import type { UsageStore } from "../../domain/usage/store.ts";
import type { WebhookStore } from "../../domain/webhooks/store.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { type DiskSpace, diskSpace } from "../../platform/primitives/disk-space.ts";
import type { Register } from "../../register/register.ts";
import type { Watch } from "../../register/watch.ts";
import type { Metrics } from "./metrics.ts";
import type { ReadinessCheck } from "./readiness.ts";

const EVALUATION_ENDS_SOON_MS = 14 * DAY_MS;

export interface StateSource {
  register: Register;
  database: Pick<Watch, "isOutOfReach" | "ageSeconds">;
  spool: { depth(): Promise<number> };
  readiness: Pick<ReadinessCheck, "isStorageReachable" | "isHistoryWritable">;
  /** Directories on this machine, by what is in them. */
  directories: Record<string, string>;
  webhooks: Pick<WebhookStore, "backlog">;
  destinations: Pick<DestinationStore, "counts">;
  requests: Pick<RequestStore, "countPending">;
  mail: Pick<MailStore, "counts">;
  jobs: Pick<JobStore, "counts">;
  copies: Pick<CopyStore, "copied">;
  usage: Pick<UsageStore, "progress">;
  audit: Pick<AuditStore, "list">;
  clock: Clock;
}

/** Adds gauges whose values are read on every scrape. Every process has the same state, so they are not summed. */
export function addStateMetrics({ registry }: Metrics, source: StateSource): void {
  const { register, database, spool, readiness, directories, webhooks, destinations, requests, mail, jobs, copies } =
    source;
  const { usage, audit, clock } = source;
  const secondsSince = (time: Date) => Math.max(0, clock().getTime() - time.getTime()) / 1000;
  const gauge = (name: string, help: string, read: () => number | Promise<number>, aggregator: "max" | "min" = "max") =>
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  const age = (name: string, help: string, read: () => Date | undefined | Promise<Date | undefined>) =>
    new Gauge({
      name,
      help,
      aggregator: "max",
      registers: [registry],
      async collect() {
        const time = await read();
        if (time) this.set(secondsSince(time));
        else this.remove();
      },
    });
  /** Keeps the last value while the database is unreachable. */
  const fromDatabase = <T>(initial: T, read: () => Promise<T>) => {
    let last = initial;
    return async () => {
      if (!database.isOutOfReach()) last = await read().catch(() => last);
      return last;
    };
  };
  gauge("dbdepot_database_up", "1 if the database responds, else 0.", () => (database.isOutOfReach() ? 0 : 1), "min");
  gauge(
    "dbdepot_storage_up",
    "1 if the object storage responds, else 0.",
    async () => ((await readiness.isStorageReachable()) ? 1 : 0),
    "min",
  );
  gauge(
    "dbdepot_history_writable",
    "1 if download attempts can be stored, in the database or the spool, else 0: then every download is refused.",
    async () => ((await readiness.isHistoryWritable()) ? 1 : 0),
    "min",
  );
  const disk = (name: string, help: string, field: keyof DiskSpace) =>
    new Gauge({
      name,
      help,
      labelNames: ["directory"],
      aggregator: "min",
      registers: [registry],
      async collect() {
        this.reset();
        for (const [directory, space] of await diskSpace(directories)) this.set({ directory }, space[field]);
      },
    });
  disk(
    "dbdepot_disk_free_bytes",
    "Free space on the disks of this machine, by what is on them: data, database or objects. Each disk is listed once.",
    "freeBytes",
  );
  disk("dbdepot_disk_size_bytes", "Size of the same disks.", "sizeBytes");
  gauge("dbdepot_register_age_seconds", "Time since the register was last refreshed.", () => database.ageSeconds());
  gauge("dbdepot_register_revision", "Newest change that has taken effect.", () => register.revision, "min");
  gauge("dbdepot_register_keys", "Secrets of API keys in memory.", () => register.counts().keys);
  gauge("dbdepot_register_licences", "Licences in memory, ended ones included.", () => register.counts().licences);
  gauge("dbdepot_evaluations_ending", "Evaluation licences that end within 14 days.", () => {
    const now = clock();
    const soon = new Date(now.getTime() + EVALUATION_ENDS_SOON_MS);
    return register.countLicences(
      (licence) => licence.redistribution === "evaluation" && endsBefore(licence, soon, now),
    );
  });
  gauge("dbdepot_history_spool_files", "Groups of attempts waiting for the database.", () => spool.depth());
  gauge("dbdepot_unsigned_versions", "Versions whose current build has no signed manifest.", () => {
    const builds = register.families.flatMap(({ versions }) => versions.map(({ id }) => register.offer(id)?.build));
    return builds.filter((build) => build && register.manifest(build.versionId)?.buildId !== build.id).length;
  });
  age(
    "dbdepot_signing_key_age_seconds",
    "Time since the signing key was created. Absent if builds are not signed.",
    () => activeKey(register.signingKeys)?.created,
  );
  const until = (name: string, help: string, read: () => Date | undefined) =>
    new Gauge({
      name,
      help,
      aggregator: "min",
      registers: [registry],
      collect() {
        const time = read();
        if (time) this.set((time.getTime() - clock().getTime()) / 1000);
        else this.remove();
      },
    });
  until(
    "dbdepot_freshness_expiry_seconds",
    "Time until the first statement of freshness ends, negative if one has ended. Absent without a freshness key.",
    () => earliestEnd(register),
  );
  until(
    "dbdepot_freshness_key_expiry_seconds",
    "Time until the endorsement of the freshness key ends. Absent without a freshness key.",
    () => activeFreshnessKey(register.freshnessKeys)?.expires,
  );
  gauge(
    "dbdepot_freshness_overdue_versions",
    "Versions whose statement of freshness is missing, about an earlier manifest, or should have been renewed.",
    () => overdueVersions(register, clock()),
  );
  const readBacklog = fromDatabase({ oldest: undefined, disabled: 0 }, () => webhooks.backlog());
  gauge("dbdepot_webhook_lag_seconds", "Age of the oldest event that is waiting to be sent to a webhook.", async () => {
    const { oldest } = await readBacklog();
    return oldest ? secondsSince(oldest) : 0;
  });
  gauge(
    "dbdepot_webhooks_disabled",
    "Webhooks that were disabled because they failed.",
    async () => (await readBacklog()).disabled,
  );
  const readDestinations = fromDatabase({ delivering: 0, failing: 0, paused: 0 }, () => destinations.counts());
  gauge(
    "dbdepot_destinations_failing",
    "Buckets of customers to which the last delivery failed, and that are tried again.",
    async () => (await readDestinations()).failing,
  );
  gauge(
    "dbdepot_destinations_paused",
    "Buckets of customers that were paused because no delivery succeeded for 24 hours.",
    async () => (await readDestinations()).paused,
  );
  gauge(
    "dbdepot_access_requests_pending",
    "Requests for licences that wait for an answer.",
    fromDatabase(0, () => requests.countPending()),
  );
  gauge(
    "dbdepot_copy",
    "1 if this is a copy, which sends no webhooks or e-mail until it is activated, else 0.",
    fromDatabase(0, async () => ((await copies.copied()) ? 1 : 0)),
  );
  age(
    "dbdepot_usage_age_seconds",
    "Time since the usage totals were last updated from the history. Absent before the first download attempt.",
    fromDatabase<Date | undefined>(undefined, async () => (await usage.progress()).updated),
  );
  age(
    "dbdepot_backup_age_seconds",
    "Time since the last `dbdepot-server backup`. Absent if the audit log has none.",
    fromDatabase<Date | undefined>(undefined, lastBackup(audit, clock)),
  );
  const readOutbox = fromDatabase({ waiting: 0, failed: 0, unknown: 0 }, () => mail.counts());
  new Gauge({
    name: "dbdepot_outbox_mails",
    help: "E-mails in the outbox, by state: waiting, failed or unknown. Finished ones are removed after 7 days.",
    labelNames: ["state"],
    aggregator: "max",
    registers: [registry],
    async collect() {
      for (const [state, count] of Object.entries(await readOutbox())) this.set({ state }, count);
    },
  });
  const readJobs = fromDatabase<JobCount[]>([], () => jobs.counts(clock()));
  new Gauge({
    name: "dbdepot_jobs",
    help: "Work in the background by type and state: queued, running or failed. Failed jobs wait for an operator to retry them.",
    labelNames: ["type", "state"],
    aggregator: "max",
    registers: [registry],
    async collect() {
      const counts = await readJobs();
      for (const type of JOB_NAMES) for (const state of JOB_STATES) this.set({ type, state }, 0);
      for (const { type, state, count } of counts) this.set({ type, state }, count);
    },
  });
  new Gauge({
    name: "dbdepot_version_build_age_seconds",
    help: "Time since the current build of a version was published.",
    labelNames: ["version"],
    aggregator: "max",
    registers: [registry],
    collect() {
      this.reset();
      for (const { versions } of register.families) {
        for (const { id } of versions) {
          const published = register.offer(id)?.build?.published;
          if (published) this.set({ version: id }, (clock().getTime() - published.getTime()) / 1000);
        }
      }
    },
  });
}

/** When the first statement of a version that this service signs ends. */
function earliestEnd(register: Register): Date | undefined {
  const ends = ownManifests(register).flatMap(({ versionId }) => register.freshness(versionId)?.validUntil ?? []);
  return ends.length === 0 ? undefined : new Date(Math.min(...ends.map((end) => end.getTime())));
}

function overdueVersions(register: Register, now: Date): number {
  return ownManifests(register).filter(({ versionId, sequence }) => {
    const freshness = register.freshness(versionId);
    return freshness?.sequence !== sequence || freshness.renewal <= now;
  }).length;
}

/** Empty without a freshness key. */
function ownManifests(register: Register): ChainEntry[] {
  if (!activeFreshnessKey(register.freshnessKeys)) return [];
  const imported = new Set(register.signingKeys.filter(({ isImported }) => isImported).map(({ keyId }) => keyId));
  const newest = register.families.flatMap(({ versions }) => versions.flatMap(({ id }) => register.manifest(id) ?? []));
  return newest.filter(({ keyId }) => !imported.has(keyId));
}

/** Returns a function that finds the last backup. After its first call, it reads only the newest part of the audit log. */
function lastBackup(audit: StateSource["audit"], clock: Clock): () => Promise<Date | undefined> {
  let last: Date | undefined;
  let since: Date | undefined;
  return async () => {
    const now = clock();
    const [entry] = await audit.list({ action: "backup.created", since, limit: 1 });
    last = entry?.created ?? last;
    // The machine that made the backup may have another time.
    since = new Date(now.getTime() - DAY_MS);
    return last;
  };
}
