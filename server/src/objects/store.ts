import type { Readable } from "node:stream";

/** The name of an object: segments joined by "/", none of them empty, "." or "..". */
export type ObjectKey = string;

/** Bytes `first` to `last`, both included. */
export interface ByteRange {
  first: number;
  last: number;
}

export interface StoredObject {
  key: ObjectKey;
  sizeBytes: number;
  modified: Date;
}

export interface LinkTerms {
  ttlSeconds: number;
  /** What the customer's file is called. */
  filename: string;
  contentType: string;
  now: Date;
}

/**
 * Where the bytes of builds lie. An object is written once, whole or not at all:
 * a `put` that fails or is cut off leaves nothing under its key.
 */
export interface ObjectStore {
  /** The origin that links point to; never the API's own. */
  readonly linkOrigin: string;
  put(key: ObjectKey, body: Readable): Promise<StoredObject>;
  /** Undefined when there is no such object. */
  stat(key: ObjectKey): Promise<StoredObject | undefined>;
  /** Fails when there is no such object. Destroying the stream frees everything behind it. */
  read(key: ObjectKey, range?: ByteRange): Promise<Readable>;
  /** A presigned link to GET the object. No I/O, and no check that it exists. */
  link(key: ObjectKey, terms: LinkTerms): string;
  /** Every object whose key starts with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Does nothing when there is no such object. */
  remove(key: ObjectKey): Promise<void>;
}
