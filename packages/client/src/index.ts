export type { ChangesOptions } from "./api/changes.ts";
export type { Destinations } from "./api/destinations.ts";
export type { EventsOptions, ServiceEvent } from "./api/events.ts";
export type { HistoryOptions, UsageOptions } from "./api/history.ts";
export type { CallOptions, Keys } from "./api/keys.ts";
export type { DownloadUrl, PinOptions } from "./api/link.ts";
export type { MetadataResult } from "./api/metadata.ts";
export type { RetryEvent } from "./api/retry.ts";
export type { Table } from "./api/tables.ts";
export type { Webhooks } from "./api/webhooks.ts";
export type {
  ApiKey,
  BucketDelivery,
  ChangedKey,
  Checksums,
  Column,
  CreateDestinationRequest,
  CreatedKey,
  CreateKeyRequest,
  CreateWebhookRequest,
  Database,
  DatabaseChanges,
  DatabaseMetadata,
  DatabaseVersion,
  Delivery,
  Destination,
  DestinationList,
  DestinationTest,
  Download,
  Format,
  Identity,
  IssuedWebhook,
  LimitUse,
  ListedApiKey,
  Manifest,
  RowChanges,
  UpdateDestinationRequest,
  UpdateKeyRequest,
  UpdateWebhookRequest,
  UsageCounts,
  UsageLine,
  UsageReport,
  Webhook,
} from "./api/wire.gen.ts";
export { type ClientOptions, DbdepotClient, type Proof, type TrustEvent } from "./client.ts";
export type { Downloaded, DownloadOptions, NodeWritable, Progress } from "./download/options.ts";
export { DbdepotError, type ErrorKind } from "./errors.ts";
export { type Login, type LoginOptions, type LoginPrompt, login, logout, refreshLogin } from "./login/login.ts";
export type { MirroredDatabase, MirrorOptions } from "./mirror/options.ts";
export type { Freshness } from "./proof/results.ts";
export { verifyWebhook, type WebhookEvent } from "./verify-webhook.ts";
export { VERSION } from "./version.ts";
