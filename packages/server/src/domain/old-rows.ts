/** Rows or files that a rule removes. */
export interface Amount {
  count: number;
  /** The size of the files, or of the contents of the rows. */
  bytes: number;
  /** When the oldest one was created; null if there is none. */
  oldest: Date | null;
}

/** Rows that are removed when they are old enough. */
export interface OldRows {
  /** Deletes up to `limit` rows from before `time`, the oldest first, and returns how many it deleted. */
  removeBefore(time: Date, limit: number): Promise<number>;
  /** Counts what `removeBefore` would delete. */
  amountBefore(time: Date): Promise<Amount>;
}

/** Rows that contain IP addresses and user agents. */
export interface AddressRows {
  /**
   * Removes the addresses from up to `limit` rows from before `time` whose ids come after `after`. `last` is the id of the last row
   * that it looked at, or undefined if there was none.
   */
  clearAddresses(range: { after: string; before: Date; limit: number }): Promise<{ cleared: number; last?: string }>;
  /** Counts the rows from before `time` that contain an address. */
  addressesBefore(time: Date): Promise<Amount>;
}
