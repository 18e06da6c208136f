import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Buckets that range from a cached document to a slow upload. */
const REQUEST_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const COMMIT_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const COMMIT_BUCKETS_ATTEMPTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const USAGE_BUCKETS_SECONDS = [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];
const PUBLISH_BUCKETS_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics that this process counts itself. Every label has a bounded number of values. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
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
    limitRefusals: new Counter({
      name: "dbdepot_limit_refusals_total",
      help: "Requests that were refused because of a limit of their organization, by limit: requests_per_minute, downloads_per_day, bytes_per_month or parallel_streams.",
      labelNames: ["limit"],
      registers,
    }),
    refusedQueries: new Counter({
      name: "dbdepot_metadata_refused_total",
      help: "Metadata, checksum and changes requests with a valid key that were refused, by cause. They are not in the history.",
      labelNames: ["endpoint", "cause"],
      registers,
    }),
    signIns: new Counter({
      name: "dbdepot_sign_ins_total",
      help: "Sign-ins of programs by event: requested, approved, denied, issued, refreshed, revoked, or reused (a code or token was sent twice, so the sign-in was ended).",
      labelNames: ["event"],
      registers,
    }),
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
      help: "Files being sent, by the API (v1, delivery=stream) and by the gateway.",
      labelNames: ["server"],
      registers,
    }),
    transferBytes: new Counter({
      name: "dbdepot_transfer_bytes_total",
      help: "Bytes of files and patches sent, by the API (v1, delivery=stream) and by the gateway.",
      labelNames: ["server", "content"],
      registers,
    }),
    patches: new Counter({
      name: "dbdepot_patches_total",
      help: "Patches between builds that this process made, or dropped because they are not worth it.",
      labelNames: ["format", "outcome"],
      registers,
    }),
    webhookDeliveries: new Counter({
      name: "dbdepot_webhook_deliveries_total",
      help: "Requests to webhooks by outcome: delivered, failed (sent again later) or given_up. Tests and redeliveries are not counted.",
      labelNames: ["outcome"],
      registers,
    }),
    mails: new Counter({
      name: "dbdepot_mails_total",
      help: "Attempts to send a notification by e-mail, by result: sent, waiting (sent again later), failed, or unknown (interrupted, not sent again).",
      labelNames: ["result"],
      registers,
    }),
    comparisons: new Counter({
      name: "dbdepot_comparisons_total",
      help: "Builds that were compared with another one, by result: compared or not_compared.",
      labelNames: ["result"],
      registers,
    }),
    eventStreams: new Gauge({
      name: "dbdepot_event_streams_open",
      help: "Open event streams (GET /api/v2/events).",
      registers,
    }),
    eventStreamsEnded: new Counter({
      name: "dbdepot_event_streams_ended_total",
      help: "Event streams that ended, by reason: client, refused (the key or session is no longer accepted), slow, shutdown or outage.",
      labelNames: ["reason"],
      registers,
    }),
    eventsSent: new Counter({
      name: "dbdepot_events_sent_total",
      help: "Events sent in event streams, by type.",
      labelNames: ["type"],
      registers,
    }),
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
    retentionRemoved: new Counter({
      name: "dbdepot_retention_removed_total",
      help: "Builds and rows that this process removed because of their age or number, by kind: builds, history, addresses, events, deliveries or audit.",
      labelNames: ["kind"],
      registers,
    }),
    publishSeconds: new Histogram({
      name: "dbdepot_publish_duration_seconds",
      help: "Time to publish a build through the operator API, after its files have been uploaded.",
      buckets: PUBLISH_BUCKETS_SECONDS,
      registers,
    }),
  };
}
