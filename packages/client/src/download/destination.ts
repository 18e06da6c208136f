/** Receives the bytes of a download. */
export interface Destination {
  /** Includes bytes left by an earlier run. */
  readonly receivedBytes: number;
  readonly resumedFromBytes: number;
  /** Prepares for a file with this digest. Returns false if part of another file has already been delivered. */
  begin(sha256: string): Promise<boolean>;
  /** Discards everything received so far. Returns false if that is impossible. */
  restart(): Promise<boolean>;
  /** Fails if there is not enough space for a file of this size. */
  reserve(totalBytes: number): Promise<void>;
  write(chunk: Uint8Array): Promise<void>;
  /** The digest of everything received so far. */
  sha256(): Promise<string>;
  /** Returns what is wrong with the complete file, apart from its digest. */
  faults(): Promise<string[]>;
  /** Makes the verified file available. */
  commit(): Promise<void>;
  /** Ends a failed download. With `keepPart`, a later download can resume it. */
  abandon(keepPart: boolean): Promise<void>;
}
