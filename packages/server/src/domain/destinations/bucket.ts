import type { BucketProblem } from "@dbdepot/contract/v2/destinations";
import type { Destination } from "./destination.ts";

/** What is sent of a file, and how it is checked. */
interface UploadedFile {
  path: string;
  sizeBytes: number;
  sha256: string;
}

/** A bucket of a customer. Paths are relative to the prefix. Everything fails with BucketError if the bucket is the cause. */
export interface Bucket {
  /** Undefined if the object does not exist, or is larger than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>;
  /** Replaces the object, if it exists. */
  write(path: string, body: string | Uint8Array, contentType: string): Promise<void>;
  /** Sends a file in constant memory. It exists completely or not at all. */
  upload(file: UploadedFile, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** Fails unless the file has the size and the digest with which it was written. */
  check(file: UploadedFile): Promise<void>;
  /** Does nothing if the object does not exist. */
  remove(path: string): Promise<void>;
  close(): void;
}

export type OpenBucket = (
  destination: Pick<Destination, "id" | "organizationId" | "place" | "access" | "encryption">,
) => Promise<Bucket>;

/** The bucket could not be read or written. The message says what to do, and contains nothing of our network. */
export class BucketError extends Error {
  readonly problem: BucketProblem;

  constructor(problem: BucketProblem, message: string) {
    super(message);
    this.name = "BucketError";
    this.problem = problem;
  }
}
