export { type ClientOptions, DbdepotClient, type MetadataResult, type TrustEvent } from "./client.ts";
export type { Downloaded, DownloadOptions, NodeWritable, Progress } from "./download/options.ts";
export { DbdepotError, type ErrorKind } from "./errors.ts";
export type { EventsOptions, ServiceEvent } from "./events.ts";
export type { HistoryOptions } from "./history.ts";
export type { CallOptions, Keys } from "./keys.ts";
export type { DownloadUrl, PinOptions } from "./link.ts";
export type { MirroredDatabase, MirrorOptions } from "./mirror/options.ts";
export type { RetryEvent } from "./retry.ts";
export { verifyWebhook, type WebhookEvent } from "./verify-webhook.ts";
export { VERSION } from "./version.ts";
export type { Webhooks } from "./webhooks.ts";
export type {
  ApiKey,
  ChangedKey,
  Checksums,
  Column,
  CreatedKey,
  CreateKeyRequest,
  CreateWebhookRequest,
  Database,
  DatabaseMetadata,
  DatabaseVersion,
  Delivery,
  Download,
  Format,
  Identity,
  IssuedWebhook,
  ListedApiKey,
  Manifest,
  UpdateKeyRequest,
  UpdateWebhookRequest,
  Webhook,
} from "./wire.ts";
