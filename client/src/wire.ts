// Written by types.ts from the contract's schemas: change those, not this.

/** A file format: `csvgz` is gzipped CSV, `mmdb` is MaxMind DB. */
export type Format = "csvgz" | "mmdb";

/** A frozen, numbered version of a database family. */
export interface DatabaseVersion {
  /** A versioned database id, `<family>_v<n>`. */
  id: string;
  /** The version's number. */
  version: number;
  /** One line on what this version contains. */
  summary: string;
  /** The formats that this version is built in. */
  formats: Format[];
}

/** A database family, with your organization's standing. */
export interface Database {
  /** The family's name; a licence is held against it. */
  base: string;
  /** The name to display. */
  name: string;
  /** One line on what the newest version contains. */
  summary: string;
  /** How your organization stands with this family: `licensed` may download, `expired` must renew, `unlicensed` must buy. */
  standing: "licensed" | "expired" | "unlicensed";
  /** What the licence lets you do with the data; null without a licence. */
  redistribution: "evaluation" | "internal" | "redistribute" | null;
  /** When the licence begins; null without a licence. */
  starts: string | null;
  /** When the licence ends; null when it has no end, or without a licence. */
  expires: string | null;
  /** Every published version, oldest first. */
  versions: DatabaseVersion[];
}

/** The catalogue, as your organization sees it. */
export interface DatabaseList {
  /** The whole catalogue, in order of `base`. */
  databases: Database[];
}

/** One column of a file: its name, its type, and what it holds. */
export interface Column {
  /** The column's name, as in the file. */
  name: string;
  /** What kind of value it holds. */
  type: string;
  /** What the value means. */
  description?: string;
}

/** The exporter's own document about a build, served unchanged. */
export interface DatabaseMetadata {
  /** A versioned database id, `<family>_v<n>`. */
  id: string;
  /** How often a new build is published. */
  update_freq?: string;
  /** The day on which this build was generated. */
  updated: string;
  /** How many rows this build has. */
  entries: number;
  /** The columns of each format. */
  schema: {
    csvgz?: Column[];
    mmdb?: Column[];
  };
  /** A few real rows of each format. */
  sample?: {
    csvgz?: Record<string, unknown>[];
    mmdb?: Record<string, unknown>[];
  };
  /** The bytes of each format's file. */
  size: {
    csvgz?: number;
    mmdb?: number;
  };
}

/** The digests of one file, in hexadecimal. */
export interface Checksums {
  md5: string;
  sha1: string;
  sha256: string;
  sha512: string;
}

/** A file of a build, and its digests. */
export interface DatabaseChecksums {
  /** A versioned database id, `<family>_v<n>`. */
  id: string;
  /** A file format: `csvgz` is gzipped CSV, `mmdb` is MaxMind DB. */
  format: Format;
  /** The digests of one file, in hexadecimal. */
  checksums: Checksums;
}

/** One attempt to download, refusals included. */
export interface Download {
  /** The id that was asked for, cut at 64 characters. */
  dataset_id: string;
  /** The format that was asked for, cut at 64 characters. */
  format: string;
  /** How the attempt ended: `ok`, or `unauthorized` (401), `denied` and `expired` (403), `unknown` (404), `unavailable` (400 or 503). */
  outcome: "ok" | "unauthorized" | "denied" | "expired" | "unknown" | "unavailable";
  /** The size of the file that was handed out; null for a refusal. */
  bytes: number | null;
  /** The status of the answer. */
  http_status: number | null;
  /** The key that made the request; null when it could not be resolved. */
  apikey_id: string | null;
  /** Where the request came from. */
  client_ip: string | null;
  /** What the client called itself, cut at 512 characters. */
  user_agent: string | null;
  /** When the request arrived. */
  created: string;
}

/** One page of the download history. */
export interface DownloadList {
  /** Attempts of your organization, newest first. */
  downloads: Download[];
}

/** The key to create. */
export interface CreateKeyRequest {
  /** 1 to 100 characters, white space around it not counted. */
  name: string;
  /** None given: the key can do nothing yet. */
  allowed_scopes?: ("db.download" | "apikeys.manage")[];
  /** None given: your own key's. */
  allowed_cidrs?: string[];
  /** When the key stops working; null for never. */
  expires?: string | null;
}

/** A new key, with the only sight of its secret. */
export interface CreatedKey {
  rc: "SUCCESS";
  /** Names the key; it is no secret. */
  id: string;
  /** What you call it. */
  name: string;
  /** The secret. No other response ever shows it: store it now. */
  key: string;
  /** The part of the key that is no secret. */
  key_prefix: string;
  /** Where it may be used from; none: from anywhere. */
  allowed_cidrs: string[];
  /** What it may do; none: nothing. */
  allowed_scopes: string[];
}

/** A key of your organization. */
export interface ApiKey {
  /** Names the key; it is no secret. */
  id: string;
  /** What you call it. */
  name: string;
  /** The part of the key that is no secret. */
  key_prefix: string;
  /** Where it may be used from; none: from anywhere. */
  allowed_cidrs: string[];
  /** What it may do; none: nothing. */
  allowed_scopes: string[];
  /** When the key stops working; null for never. */
  expires: string | null;
  /** When it was created. */
  created: string;
  /** When it was last used, to within a minute; null when it never was. */
  last_used: string | null;
  /** When it was revoked; null while it was not. */
  revoked: string | null;
}

/** The keys of your organization. */
export interface ApiKeyList {
  rc: "SUCCESS";
  /** Newest first, revoked ones included. */
  keys: ApiKey[];
}

/** A key, as it is from now on. */
export interface ChangedKey {
  rc: "SUCCESS";
  /** Names the key; it is no secret. */
  id: string;
  /** What you call it. */
  name: string;
  /** The part of the key that is no secret. */
  key_prefix: string;
  /** Where it may be used from; none: from anywhere. */
  allowed_cidrs: string[];
  /** What it may do; none: nothing. */
  allowed_scopes: string[];
  /** When the key stops working; null for never. */
  expires: string | null;
  /** When it was created. */
  created: string;
  /** When it was last used, to within a minute; null when it never was. */
  last_used: string | null;
  /** When it was revoked; null while it was not. */
  revoked: string | null;
}

/** How to change over to the new secret. */
export interface RotateKeyRequest {
  /** How long the old secret works on, up to 7 days. */
  overlap_seconds?: number;
}

/** What to change; what is left out stays as it is. */
export interface UpdateKeyRequest {
  /** 1 to 100 characters, white space around it not counted. */
  name?: string;
  /** All that it may do from now on. */
  allowed_scopes?: ("db.download" | "apikeys.manage")[];
  /** All places where it may be used from; none: from anywhere. */
  allowed_cidrs?: string[];
  /** When the key stops working; null for never. */
  expires?: string | null;
}
