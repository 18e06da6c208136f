import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { ByteRange } from "@dbdepot/formats/transfers/byte-range";
import { Unavailable } from "../../platform/primitives/faults.ts";

/** The name of an object; see object-key.ts for what is valid. */
export type ObjectKey = string;

export interface StoredObject {
  key: ObjectKey;
  sizeBytes: number;
  modified: Date;
}

export interface LinkTerms {
  ttlSeconds: number;
  /** The name under which the customer saves the file. */
  filename: string;
  contentType: string;
  now: Date;
  /** A link works for one method only. Default: GET. */
  method?: "GET" | "HEAD";
  /** Where the customer is: one of `linkRegions`. Default, and if it is none of them: the first one. */
  region?: string | undefined;
}

/**
 * Stores the files of builds. An object is written once, and completely or not at all: a `put` that fails or is interrupted
 * leaves nothing under its key.
 */
export interface ObjectStore {
  /** The origin of links; never the API's own. */
  readonly linkOrigin: string;
  /** The regions that have an origin of their own; empty if all links have the same one. */
  readonly linkRegions: readonly string[];
  /**
   * Fails with ObjectExists if the key is taken, and with StorageFull if no space is left. It has finished with a chunk of the body when it requests the next one, so
   * the source may reuse the memory. If it fails for any reason, it destroys a stream that it was given.
   */
  put(key: ObjectKey, body: AsyncIterable<Uint8Array>): Promise<StoredObject>;
  /** Undefined if the object does not exist. */
  stat(key: ObjectKey): Promise<StoredObject | undefined>;
  /**
   * Fails with NoSuchObject, or with RangeNotInObject if the range starts after the last byte. A range that ends after
   * it is shortened. The stream fails if it cannot deliver all of the bytes; destroying it closes the file or connection.
   */
  read(key: ObjectKey, range?: ByteRange): Promise<Readable>;
  /** A signed link to the object, made without I/O: it does not check that the object exists. */
  link(key: ObjectKey, terms: LinkTerms): string;
  /** Every object whose key starts with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Does nothing if the object does not exist. */
  remove(key: ObjectKey): Promise<void>;
  /**
   * Removes the remains of interrupted `put` calls that began before `before`, and returns how many there were. It cannot
   * recognize a call that is still running, so `before` should be a day ago.
   */
  sweepPartial(before: Date): Promise<number>;
}

/** Returns the headers that make the reverse proxy send the object, or undefined if the server has to send it itself. */
export type HandOver = (
  request: IncomingMessage,
  key: ObjectKey,
  isPart: boolean,
) => Record<string, string> | undefined;

export class ObjectExists extends Error {
  constructor(key: ObjectKey) {
    super(`object "${key}" already exists, and objects are never overwritten`);
    this.name = "ObjectExists";
  }
}

export class StorageFull extends Unavailable {
  constructor(cause: unknown) {
    super("object storage is full, so the file was not stored: free some space and send it again", { cause });
  }
}

export class NoSuchObject extends Error {
  constructor(key: ObjectKey) {
    super(`object "${key}" does not exist`);
    this.name = "NoSuchObject";
  }
}

export class RangeNotInObject extends Error {
  constructor(key: ObjectKey, range: ByteRange) {
    super(`object "${key}" has no bytes from ${range.first} to ${range.last}`);
    this.name = "RangeNotInObject";
  }
}
