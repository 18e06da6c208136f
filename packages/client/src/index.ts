export type { ChangesOptions } from "./api/changes.ts";
export type { EventsOptions, ServiceEvent } from "./api/events.ts";
export type { HistoryOptions, UsageOptions } from "./api/history.ts";
export type { CallOptions, Keys } from "./api/keys.ts";
export type { DownloadUrl, PinOptions } from "./api/link.ts";
export type { RetryEvent } from "./api/retry.ts";
export type { Webhooks } from "./api/webhooks.ts";
export type {
  ApiKey,
  ChangedKey,
  Checksums,
  Column,
  CreatedKey,
  CreateKeyRequest,
  CreateWebhookRequest,
  Database,
  DatabaseChanges,
  DatabaseMetadata,
  DatabaseVersion,
  Delivery,
  Download,
  Format,
  Identity,
  IssuedWebhook,
  LimitUse,
  ListedApiKey,
  Manifest,
  RowChanges,
  UpdateKeyRequest,
  UpdateWebhookRequest,
  UsageCounts,
  UsageLine,
  UsageReport,
  Webhook,
} from "./api/wire.gen.ts";
export { type ClientOptions, DbdepotClient, type MetadataResult, type TrustEvent } from "./client.ts";
export type { Downloaded, DownloadOptions, NodeWritable, Progress } from "./download/options.ts";
export { DbdepotError, type ErrorKind } from "./errors.ts";
export { type Login, type LoginOptions, type LoginPrompt, login, logout, refreshLogin } from "./login/login.ts";
export type { MirroredDatabase, MirrorOptions } from "./mirror/options.ts";
export { verifyWebhook, type WebhookEvent } from "./verify-webhook.ts";
export { VERSION } from "./version.ts";
