import type { Readable } from "node:stream";

/** The name of an object; object-key.ts says what makes one. */
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
  /** A link works for one method only: who will follow it with HEAD needs one for HEAD. Left out: GET. */
  method?: "GET" | "HEAD";
}

/**
 * Where the bytes of builds lie. An object is written once, whole or not at all:
 * a `put` that fails or is cut off leaves nothing under its key.
 */
export interface ObjectStore {
  /** The origin that links point to; never the API's own. */
  readonly linkOrigin: string;
  /**
   * Fails with ObjectExists when the key is taken. It is done with a piece of the body when it asks for the next one, so
   * that the source may use its memory again. A stream is destroyed when it fails, whatever the cause.
   */
  put(key: ObjectKey, body: AsyncIterable<Uint8Array>): Promise<StoredObject>;
  /** Undefined when there is no such object. */
  stat(key: ObjectKey): Promise<StoredObject | undefined>;
  /**
   * Fails with NoSuchObject, or with RangeNotInObject if the range starts after the last byte. A range that ends after
   * it is shortened. The stream fails if it cannot deliver all of the bytes; destroying it closes the file or connection.
   */
  read(key: ObjectKey, range?: ByteRange): Promise<Readable>;
  /** A presigned link to the object. No I/O, and no check that it exists. */
  link(key: ObjectKey, terms: LinkTerms): string;
  /** Every object whose key starts with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Does nothing when there is no such object. */
  remove(key: ObjectKey): Promise<void>;
  /**
   * Removes what a `put` cut off by a crash has left outside of any key, if it began before `before`, and says how
   * many there were. One that is still running is not told apart: leave it a day.
   */
  sweepPartial(before: Date): Promise<number>;
}

export class ObjectExists extends Error {
  constructor(key: ObjectKey) {
    super(`there is an object "${key}" already, and objects are never overwritten`);
    this.name = "ObjectExists";
  }
}

export class NoSuchObject extends Error {
  constructor(key: ObjectKey) {
    super(`there is no object "${key}"`);
    this.name = "NoSuchObject";
  }
}

export class RangeNotInObject extends Error {
  constructor(key: ObjectKey, range: ByteRange) {
    super(`object "${key}" has no bytes from ${range.first} to ${range.last}`);
    this.name = "RangeNotInObject";
  }
}
