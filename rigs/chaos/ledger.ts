/** `unknown`: the service was killed before it answered a change, which may or may not have happened. */
type KeyState = "works" | "refused" | "unknown";

export interface KnownSecret {
  keyId: string;
  secret: string;
  state: KeyState;
}

export interface KnownVersion {
  id: string;
  /** The last build whose publication was answered. */
  current: string;
  /** Builds after it whose publication was not answered. One of them may be current. */
  unanswered: string[];
  /** The SHA-256 of each format, by build. */
  digests: Map<string, Record<string, string>>;
}

export const KINDS = [
  "download",
  "key created",
  "key rotated",
  "key revoked",
  "licence granted",
  "publication",
] as const;
export type Kind = (typeof KINDS)[number];

/** Everything the service answered, and the requests that were in flight when it was killed. */
export class Ledger {
  /** The user agents of downloads, each of which is used once. */
  readonly downloads: string[] = [];
  readonly secrets: KnownSecret[] = [];
  readonly licences: string[] = [];
  readonly answered = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  /** Requests without an answer because the service was killed. */
  unanswered = 0;
  /** Requests answered with 503. */
  refused = 0;
  /** How often the answers of one process were compared with each other. */
  comparisons = 0;
  /** Answers that no request should get. */
  readonly unexpected: string[] = [];
  readonly began = new Date();

  add(other: Ledger): void {
    this.downloads.push(...other.downloads);
    this.secrets.push(...other.secrets);
    this.licences.push(...other.licences);
    this.unexpected.push(...other.unexpected);
    for (const kind of KINDS) this.answered[kind] += other.answered[kind];
    this.unanswered += other.unanswered;
    this.refused += other.refused;
    this.comparisons += other.comparisons;
  }
}
