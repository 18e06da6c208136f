/** RFC 3339 in UTC with milliseconds. Sorts by time as text. */
export type Time = string;
/** A boolean as a number, because SQLite has no booleans. */
export type Flag = 0 | 1;
/** An array or object as JSON text. */
export type Json = string;

/** The revision of the change that last wrote the row. The register reads rows with newer ones. */
export interface Revised {
  revision: number;
}

/** Work that one of several processes does. Null if none has claimed it. */
export interface Claimable {
  claimed_by: string | null;
  claimed_until: Time | null;
}
