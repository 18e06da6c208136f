export { type ClientOptions, DbdepotClient, type MetadataResult } from "./client.ts";
export type { Downloaded, DownloadOptions, NodeWritable, Progress } from "./download/options.ts";
export { DbdepotError, type ErrorKind } from "./errors.ts";
export type { HistoryOptions } from "./history.ts";
export type { CallOptions, Keys } from "./keys.ts";
export type { DownloadUrl, PinOptions } from "./link.ts";
export type { RetryEvent } from "./retry.ts";
export { VERSION } from "./version.ts";
export type {
  ApiKey,
  ChangedKey,
  Checksums,
  Column,
  CreatedKey,
  CreateKeyRequest,
  Database,
  DatabaseMetadata,
  DatabaseVersion,
  Download,
  Format,
  Identity,
  ListedApiKey,
  UpdateKeyRequest,
} from "./wire.ts";
