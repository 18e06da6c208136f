import { Gauge } from "prom-client";
import { endsBefore } from "../../domain/licences/licence.ts";
import { activeKey } from "../../domain/manifests/sign.ts";
import type { NoticeStore, OutboxCounts } from "../../domain/notices/store.ts";
import type { RequestStore } from "../../domain/requests/store.ts";
import type { Backlog, WebhookStore } from "../../domain/webhooks/store.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import type { Register } from "../../register/register.ts";
import type { Watch } from "../../register/watch.ts";
import type { Metrics } from "./metrics.ts";
import type { ReadinessCheck } from "./readiness.ts";

const EVALUATION_ENDS_SOON_MS = 14 * 24 * 60 * 60 * 1000;

export interface StateSource {
  register: Register;
  database: Pick<Watch, "isOutOfReach" | "ageSeconds">;
  spool: { depth(): Promise<number> };
  readiness: Pick<ReadinessCheck, "isStorageReachable">;
  webhooks: Pick<WebhookStore, "backlog">;
  requests: Pick<RequestStore, "countPending">;
  notices: Pick<NoticeStore, "counts">;
  clock: Clock;
}

/** Adds gauges whose values are read on every scrape. Every process has the same state, so they are not summed. */
export function addStateMetrics({ registry }: Metrics, source: StateSource): void {
  const { register, database, spool, readiness, webhooks, requests, notices, clock } = source;
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
  gauge("dbdepot_database_up", "1 if the database responds, else 0.", () => (database.isOutOfReach() ? 0 : 1), "min");
  gauge(
    "dbdepot_storage_up",
    "1 if the object storage responds, else 0.",
    async () => ((await readiness.isStorageReachable()) ? 1 : 0),
    "min",
  );
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
  new Gauge({
    name: "dbdepot_signing_key_age_seconds",
    help: "Time since the signing key was created. Absent if builds are not signed.",
    aggregator: "max",
    registers: [registry],
    collect() {
      this.reset();
      const key = activeKey(register.signingKeys);
      if (key) this.set((clock().getTime() - key.created.getTime()) / 1000);
      else this.remove();
    },
  });
  let lastBacklog: Backlog = { oldest: undefined, disabled: 0 };
  const readBacklog = async () => {
    // Keeps the last values while the database is unreachable.
    if (!database.isOutOfReach()) lastBacklog = await webhooks.backlog().catch(() => lastBacklog);
    return lastBacklog;
  };
  gauge("dbdepot_webhook_lag_seconds", "Age of the oldest event that is waiting to be sent to a webhook.", async () => {
    const { oldest } = await readBacklog();
    return oldest ? Math.max(0, clock().getTime() - oldest.getTime()) / 1000 : 0;
  });
  gauge(
    "dbdepot_webhooks_disabled",
    "Webhooks that were disabled because they failed.",
    async () => (await readBacklog()).disabled,
  );
  let lastPending = 0;
  gauge("dbdepot_access_requests_pending", "Requests for licences that wait for an answer.", async () => {
    if (!database.isOutOfReach()) lastPending = await requests.countPending().catch(() => lastPending);
    return lastPending;
  });
  let lastCounts: OutboxCounts = { waiting: 0, failed: 0, unknown: 0 };
  new Gauge({
    name: "dbdepot_outbox_mails",
    help: "Notifications by e-mail in the outbox, by state: waiting, failed or unknown. Finished ones are removed after 7 days.",
    labelNames: ["state"],
    aggregator: "max",
    registers: [registry],
    async collect() {
      if (!database.isOutOfReach()) lastCounts = await notices.counts().catch(() => lastCounts);
      for (const [state, count] of Object.entries(lastCounts)) this.set({ state }, count);
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
