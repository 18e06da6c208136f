import { RETENTION_KINDS } from "@dbdepot/contract/operator/retention";
import { FORMATS } from "@dbdepot/contract/shared/formats";
import { BUCKET_DELIVERY_OUTCOMES } from "@dbdepot/contract/v2/destinations";
import { EVENT_TYPES } from "@dbdepot/contract/v2/events";
import { LIMIT_NAMES } from "@dbdepot/contract/v2/limits";
import { DELIVERY_OUTCOMES } from "@dbdepot/contract/v2/webhooks";
import {
  Counter,
  type CounterConfiguration,
  Gauge,
  Histogram,
  type LabelValues,
  Registry,
} from "@prometheus-io/client";
import { COMMIT, VERSION } from "../../platform/version.ts";

/** Buckets that range from a cached document to a slow upload. */
const REQUEST_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const COMMIT_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const COMMIT_BUCKETS_ATTEMPTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const USAGE_BUCKETS_SECONDS = [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];
const PUBLISH_BUCKETS_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];

const SIGN_IN_EVENTS = ["requested", "approved", "denied", "issued", "refreshed", "revoked", "reused"];
const MAIL_RESULTS = ["sent", "waiting", "failed", "unknown"];
const STREAM_ENDS = ["client", "refused", "slow", "shutdown", "outage"];

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics that this process counts itself. Every label has a bounded number of values. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "dbdepot_build_info",
    help: "Always 1. The labels say which version runs.",
    labelNames: ["version", "commit"],
    // Processes of one server run the same version.
    aggregator: "first",
    registers,
  }).set({ version: VERSION, commit: COMMIT ?? "" }, 1);
  return {
    registry,
    requests: new Counter({
      name: "dbdepot_http_requests_total",
      help: "API requests by route and status. The route is empty for unknown URLs, the status if the client disconnected.",
      labelNames: ["method", "route", "status"],
      registers,
    }),
    requestSeconds: new Histogram({
      name: "dbdepot_http_request_duration_seconds",
      help: "Time from the arrival of an API request to the end of its response. Event streams are not included.",
      labelNames: ["method", "route"],
      buckets: REQUEST_BUCKETS_SECONDS,
      registers,
    }),
    attempts: new Counter({
      name: "dbdepot_download_attempts_total",
      help: "Download attempts by outcome and family. The family is empty for unknown databases.",
      labelNames: ["outcome", "family"],
      registers,
    }),
    refusedKeys: new Counter({
      name: "dbdepot_keys_refused_total",
      help: "Requests with a refused key, by cause.",
      labelNames: ["cause"],
      registers,
    }),
    limitRefusals: counterFromZero(
      { limit: LIMIT_NAMES },
      {
        name: "dbdepot_limit_refusals_total",
        help: "Requests that were refused because of a limit of their organization, by limit: requests_per_minute, downloads_per_day, bytes_per_month or parallel_streams.",
        registers,
      },
    ),
    refusedQueries: new Counter({
      name: "dbdepot_metadata_refused_total",
      help: "Metadata, checksum and changes requests, and those for the version or columns of a table, with a valid key that were refused, by cause. They are not in the history.",
      labelNames: ["endpoint", "cause"],
      registers,
    }),
    programs: counterFromZero(
      { event: SIGN_IN_EVENTS },
      {
        name: "dbdepot_sign_ins_total",
        help: "Sign-ins of programs by event: requested, approved, denied, issued, refreshed, revoked, or reused (a code or token was sent twice, so the sign-in was ended).",
        registers,
      },
    ),
    commitAttempts: new Histogram({
      name: "dbdepot_history_commit_attempts",
      help: "Attempts written to the history in one commit.",
      buckets: COMMIT_BUCKETS_ATTEMPTS,
      registers,
    }),
    commitSeconds: new Histogram({
      name: "dbdepot_history_commit_duration_seconds",
      help: "Duration of a commit to the history.",
      buckets: COMMIT_BUCKETS_SECONDS,
      registers,
    }),
    linksSigned: new Counter({ name: "dbdepot_links_signed_total", help: "Download links issued.", registers }),
    transfersActive: new Gauge({
      name: "dbdepot_transfers_active",
      help: "Files and changed rows being sent, by the API (v1, delivery=stream) and by the gateway.",
      labelNames: ["server"],
      registers,
    }),
    transferBytes: new Counter({
      name: "dbdepot_transfer_bytes_total",
      help: "Bytes of files, patches and changed rows sent, by the API (v1, delivery=stream) and by the gateway.",
      labelNames: ["server", "content"],
      registers,
    }),
    patches: counterFromZero(
      { format: FORMATS, outcome: ["made", "dropped"] },
      {
        name: "dbdepot_patches_total",
        help: "Patches between builds that this process made, or dropped because they are not worth it.",
        registers,
      },
    ),
    patchSavedBytes: counterFromZero(
      { format: FORMATS },
      {
        name: "dbdepot_patch_saved_bytes_total",
        help: "By how much the files are larger than the patches and compressed copies that were granted instead.",
        registers,
      },
    ),
    tables: counterFromZero(
      { result: ["written", "failed"] },
      {
        name: "dbdepot_tables_total",
        help: "Builds that this process wrote as Parquet, or whose Parquet files could not be written after several attempts.",
        registers,
      },
    ),
    webhookDeliveries: counterFromZero(
      { outcome: DELIVERY_OUTCOMES },
      {
        name: "dbdepot_webhook_deliveries_total",
        help: "Requests to webhooks by outcome: delivered, failed (sent again later) or given_up. Tests and redeliveries are not counted.",
        registers,
      },
    ),
    bucketDeliveries: counterFromZero(
      { outcome: BUCKET_DELIVERY_OUTCOMES },
      {
        name: "dbdepot_bucket_deliveries_total",
        help: "Deliveries to buckets of customers by outcome: delivered, failed (attempted again later), refused or withdrawn.",
        registers,
      },
    ),
    bucketBytes: new Counter({
      name: "dbdepot_bucket_delivered_bytes_total",
      help: "Size of the files that were sent to buckets of customers.",
      registers,
    }),
    mails: counterFromZero(
      { result: MAIL_RESULTS },
      {
        name: "dbdepot_mails_total",
        help: "Attempts to send an e-mail, by result: sent, waiting (sent again later), failed, or unknown (interrupted, not sent again).",
        registers,
      },
    ),
    comparisons: counterFromZero(
      { result: ["compared", "not_compared"] },
      {
        name: "dbdepot_comparisons_total",
        help: "Builds that were compared with another one, by result: compared or not_compared.",
        registers,
      },
    ),
    eventStreams: new Gauge({
      name: "dbdepot_event_streams_open",
      help: "Open event streams (GET /api/v2/events).",
      registers,
    }),
    eventStreamsEnded: counterFromZero(
      { reason: STREAM_ENDS },
      {
        name: "dbdepot_event_streams_ended_total",
        help: "Event streams that ended, by reason: client, refused (the key or session is no longer accepted), slow, shutdown or outage.",
        registers,
      },
    ),
    eventsSent: counterFromZero(
      { type: EVENT_TYPES },
      {
        name: "dbdepot_events_sent_total",
        help: "Events sent in event streams, by type.",
        registers,
      },
    ),
    usageUpdateSeconds: new Histogram({
      name: "dbdepot_usage_update_duration_seconds",
      help: "Time this process took to update the usage totals from the history.",
      buckets: USAGE_BUCKETS_SECONDS,
      registers,
    }),
    usageUpdateFailures: new Counter({
      name: "dbdepot_usage_update_failures_total",
      help: "Updates of the usage totals that failed. They are retried; the history is not deleted before its days are counted.",
      registers,
    }),
    retentionRemoved: counterFromZero(
      { kind: RETENTION_KINDS },
      {
        name: "dbdepot_retention_removed_total",
        help: "Builds and rows that this process removed because of their age or number, by kind: builds, history, addresses, events, deliveries or audit.",
        registers,
      },
    ),
    publishSeconds: new Histogram({
      name: "dbdepot_publish_duration_seconds",
      help: "Time to publish a build through the operator API, after its files have been uploaded.",
      buckets: PUBLISH_BUCKETS_SECONDS,
      registers,
    }),
  };
}

/** Starts the series of all values of its labels at 0, so that a rate includes the first event and panels are not empty. */
function counterFromZero<Label extends string>(
  labels: Record<Label, readonly string[]>,
  options: CounterConfiguration<Label>,
): Counter<Label> {
  const counter = new Counter({ ...options, labelNames: Object.keys(labels) as Label[] });
  let series: LabelValues<Label>[] = [{} as LabelValues<Label>];
  for (const [label, values] of Object.entries<readonly string[]>(labels)) {
    series = series.flatMap((others) => values.map((value) => ({ ...others, [label]: value })));
  }
  for (const values of series) counter.inc(values, 0);
  return counter;
}
