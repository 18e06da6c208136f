// The public types of verification. They import nothing, because the types of the package must not need other packages.

/** Until when a statement may be relied on that a manifest is the newest one. */
export interface Freshness {
  /** The newest manifest, by its position in the chain. */
  sequence: number;
  /** When the service said so: the database is current as of then. */
  issued: string;
  valid_until: string;
}

/** What is trusted and known before a database is verified. */
export interface TrustState {
  hasKey: boolean;
  /** Whether a manifest of this database was verified, with a key that is still trusted for the same reason. */
  hasSeen: boolean;
  /** The build that the manifest is about. Undefined if it is not known. */
  seenBuildId: string | null | undefined;
}
