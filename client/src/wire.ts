// Written by types.ts from the contract's schemas: change those, not this.

/** File format: `csvgz` (gzipped CSV) or `mmdb` (MaxMind DB). */
export type Format = "csvgz" | "mmdb";

/** A frozen, numbered version of a database family. */
export interface DatabaseVersion {
  /** A versioned database id, `<family>_v<n>`. */
  id: string;
  /** Version number. */
  version: number;
  /** One line on what this version contains. */
  summary: string;
  /** Formats this version is built in. */
  formats: Format[];
}

/** A database family with your organization's licence standing. */
export interface Database {
  /** Family name. Licences are granted per family. */
  base: string;
  /** Display name. */
  name: string;
  /** One line on what the newest version contains. */
  summary: string;
  /** Your organization's licence standing: `licensed`, `expired` (renew to download) or `unlicensed` (buy to download). */
  standing: "licensed" | "expired" | "unlicensed";
  /** What the licence allows you to do with the data, or null without a licence. */
  redistribution: "evaluation" | "internal" | "redistribute" | null;
  /** When the licence starts, or null without a licence. */
  starts: string | null;
  /** When the licence ends, or null if it has no end date or there is no licence. */
  expires: string | null;
  /** Every published version, oldest first. */
  versions: DatabaseVersion[];
}

/** The catalogue as your organization sees it. */
export interface DatabaseList {
  /** The entire catalogue, ordered by `base`. */
  databases: Database[];
}

/** A column of a file. */
export interface Column {
  /** Column name as it appears in the file. */
  name: string;
  /** Value type. */
  type: string;
  /** What the column means. */
  description?: string;
}

/** The build's metadata document, exactly as the exporter wrote it. */
export interface DatabaseMetadata {
  /** A versioned database id, `<family>_v<n>`. */
  id: string;
  /** How often a new build is published. */
  update_freq?: string;
  /** The date the build was generated. */
  updated: string;
  /** Number of rows in the build. */
  entries: number;
  /** Columns by format. */
  schema: {
    csvgz?: Column[];
    mmdb?: Column[];
  };
  /** A few real rows by format. */
  sample?: {
    csvgz?: Record<string, unknown>[];
    mmdb?: Record<string, unknown>[];
  };
  /** File size in bytes by format. */
  size: {
    csvgz?: number;
    mmdb?: number;
  };
}

/** Hex digests of one file. */
export interface Checksums {
  md5: string;
  sha1: string;
  sha256: string;
  sha512: string;
}

/** The digests of one file of a build. */
export interface DatabaseChecksums {
  /** A versioned database id, `<family>_v<n>`. */
  id: string;
  /** File format: `csvgz` (gzipped CSV) or `mmdb` (MaxMind DB). */
  format: Format;
  /** Hex digests of one file. */
  checksums: Checksums;
}

/** One download attempt. Refused attempts are included. */
export interface Download {
  /** The requested id, truncated to 64 characters. */
  dataset_id: string;
  /** The requested format, truncated to 64 characters. */
  format: string;
  /** Result of the attempt: `ok`, `unauthorized` (401), `denied` or `expired` (403), `unknown` (404), `unavailable` (400 or 503). */
  outcome: "ok" | "unauthorized" | "denied" | "expired" | "unknown" | "unavailable";
  /** Size of the file when the link was issued, or null if the attempt was refused. */
  bytes: number | null;
  /** HTTP status of the response. */
  http_status: number | null;
  /** The key that made the request, or null if it could not be resolved. */
  apikey_id: string | null;
  /** Address the request came from. */
  client_ip: string | null;
  /** The client's `User-Agent`, truncated to 512 characters. */
  user_agent: string | null;
  /** When the request arrived. */
  created: string;
}

/** One page of the download history. */
export interface DownloadList {
  /** Your organization's attempts, newest first. */
  downloads: Download[];
}

/** The key to create. */
export interface CreateKeyRequest {
  /** 1 to 100 characters after trimming. */
  name: string;
  /** Defaults to no scopes: the key cannot do anything yet. */
  allowed_scopes?: ("db.download" | "apikeys.manage")[];
  /** Defaults to the CIDRs of the calling key. */
  allowed_cidrs?: string[];
  /** When the key stops working, or null if it never expires. Defaults to the expiry of the calling key, which is also the latest allowed. */
  expires?: string | null;
}

/** A new key. The only response that contains its secret. */
export interface CreatedKey {
  rc: "SUCCESS";
  /** Identifies the key. Not a secret. */
  id: string;
  /** Display name. */
  name: string;
  /** The secret. It is returned only in this response, so store it now. */
  key: string;
  /** The public part of the key. */
  key_prefix: string;
  /** Networks the key may be used from. Empty means anywhere. */
  allowed_cidrs: string[];
  /** Scopes the key has. Empty means no access. */
  allowed_scopes: string[];
}

/** One of your organization's keys. */
export interface ApiKey {
  /** Identifies the key. Not a secret. */
  id: string;
  /** Display name. */
  name: string;
  /** The public part of the key. */
  key_prefix: string;
  /** Networks the key may be used from. Empty means anywhere. */
  allowed_cidrs: string[];
  /** Scopes the key has. Empty means no access. */
  allowed_scopes: string[];
  /** When the key stops working, or null if it never expires. */
  expires: string | null;
  /** When the key was created. */
  created: string;
  /** When the key was last used, to within a minute, or null if it was never used. */
  last_used: string | null;
  /** When the key was revoked, or null if it was not. */
  revoked: string | null;
}

/** One page of your organization's keys. */
export interface ApiKeyList {
  rc: "SUCCESS";
  /** Newest first, including revoked keys. */
  keys: ApiKey[];
}

/** The key after the change. */
export interface ChangedKey {
  rc: "SUCCESS";
  /** Identifies the key. Not a secret. */
  id: string;
  /** Display name. */
  name: string;
  /** The public part of the key. */
  key_prefix: string;
  /** Networks the key may be used from. Empty means anywhere. */
  allowed_cidrs: string[];
  /** Scopes the key has. Empty means no access. */
  allowed_scopes: string[];
  /** When the key stops working, or null if it never expires. */
  expires: string | null;
  /** When the key was created. */
  created: string;
  /** When the key was last used, to within a minute, or null if it was never used. */
  last_used: string | null;
  /** When the key was revoked, or null if it was not. */
  revoked: string | null;
}

/** Fields to change. Omitted fields keep their values. */
export interface UpdateKeyRequest {
  /** 1 to 100 characters after trimming. */
  name?: string;
  /** Replaces the key's scopes. */
  allowed_scopes?: ("db.download" | "apikeys.manage")[];
  /** Networks the key may be used from. Empty means anywhere. */
  allowed_cidrs?: string[];
  /** When the key stops working, or null if it never expires. */
  expires?: string | null;
}
