import type { Format } from "@dbdepot/contract/shared/formats";
import type {
  BUCKET_DELIVERY_OUTCOMES,
  BucketProblem,
  ENCRYPTIONS,
  PAUSE_REASONS,
} from "@dbdepot/contract/v2/destinations";

export type PauseReason = (typeof PAUSE_REASONS)[number];
export type Encryption = (typeof ENCRYPTIONS)[number];
export type BucketDeliveryOutcome = (typeof BUCKET_DELIVERY_OUTCOMES)[number];

/** Where objects are written. */
export interface Place {
  bucket: string;
  /** Without a "/" at either end, or empty. */
  prefix: string;
  region: string;
  /** AWS if null. */
  endpoint: string | null;
}

/** How the service is let into the bucket. */
export type Access =
  | { way: "vendor" }
  | { way: "role"; roleArn: string }
  /** The secret access key is encrypted, see secrets.ts. */
  | { way: "keys"; accessKeyId: string; sealedSecret: string };

/** A bucket of an organization to which builds are delivered. */
export interface Destination {
  id: string;
  organizationId: string;
  place: Place;
  access: Access;
  /** Null: the default of the bucket. */
  encryption: Encryption | null;
  description: string;
  /** Null: all that the organization may download. */
  families: readonly string[] | null;
  /** Null: all. */
  formats: readonly Format[] | null;
  /** How many builds of each database stay in the bucket. */
  keep: number;
  ownership: {
    /** The content of the object that the customer puts into the bucket. */
    token: string;
    verified: Date | null;
  };
  created: Date;
  paused: { at: Date; reason: PauseReason } | null;
  progress: Progress;
}

export interface Progress {
  /** The first failure after the last success. */
  failingSince: Date | null;
  error: string | null;
  lastDelivered: Date | null;
}

/** What a bucket has of one database. */
export interface DeliveredDatabase {
  destinationId: string;
  versionId: string;
  /** The build that `latest.json` names; null if it names none. */
  buildId: string | null;
  /** What was delivered: the build, its manifest and the formats. If it differs from what is wanted, something is missing. */
  contents: string;
  /** The newest manifest whose predecessors are all in the bucket. */
  sequence: number;
  /** The statement of freshness and the patches that were delivered, as `Wanted.additions`. */
  additions: string;
  /** The build and the error code of the last refusal that was recorded. */
  refusal: { contents: string; rc: string } | null;
}

/** A file of a build in a bucket. Recorded before it is written, so that nothing is forgotten after a crash. */
export interface DeliveredFile {
  kind: Format | "metadata" | "patch";
  /** Relative to the prefix. */
  path: string;
  sizeBytes: number;
  sha256: string;
  /** The id of the attempt in the history, if the file counts as a download. */
  attemptId: string | null;
  /** Whether the attempt is in the history. */
  isCounted: boolean;
  /** Whether the file is in the bucket. */
  isWritten: boolean;
}

export interface DeliveredBuild {
  destinationId: string;
  versionId: string;
  buildId: string;
  files: DeliveredFile[];
  /** When `latest.json` began to name it; null if it is not complete yet. */
  named: Date | null;
}

/** One delivery: a row of the log. */
export interface BucketDelivery {
  id: string;
  destinationId: string;
  versionId: string;
  buildId: string | null;
  outcome: BucketDeliveryOutcome;
  files: number;
  bytes: number;
  problem: BucketProblem | null;
  error: string | null;
  durationMs: number;
  created: Date;
}

/** Whether the vendor allows deliveries to an organization, and the external id for its roles. */
export interface DeliveryPermission {
  organizationId: string;
  externalId: string;
  /** Null if they are not allowed. */
  allowed: Date | null;
}

export const NO_PROGRESS: Progress = { failingSince: null, error: null, lastDelivered: null };

/** The path of an object in the bucket. */
export function objectKeyIn({ prefix }: Pick<Place, "prefix">, path: string): string {
  return prefix === "" ? path : `${prefix}/${path}`;
}

/** The place as people write it. */
export function locationOf({ bucket, prefix }: Place): string {
  return `s3://${objectKeyIn({ prefix: bucket }, prefix)}`;
}

/** The object with which a customer proves that the bucket is theirs. Its name says to which destination it belongs. */
export function ownershipPath({ id }: Pick<Destination, "id">): string {
  return `dbdepot-ownership-${id}.txt`;
}
