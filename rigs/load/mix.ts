import { Random } from "../harness/random.ts";
import { LICENSED, UNLICENSED } from "./vendor.ts";

const API = "/api/v2/database";
const UNKNOWN_KEY = "dbd_00000000_0000000000000000000000000000000000000000";
/** Maximum number of links that clients have not followed yet. */
const LINKS_MAX = 1000;

/** The percentage of each kind of request. Most clients poll and find nothing new. */
const SHARES = {
  "metadata, not modified": 55,
  metadata: 8,
  checksum: 8,
  list: 4,
  "download link": 10,
  "file from its link": 8,
  "file as a stream": 1,
  history: 1,
  "without a licence": 2,
  "unknown key": 2,
  "v1 file": 1,
} as const;
export type Kind = keyof typeof SHARES;

const STATUSES: Partial<Record<Kind, number>> = {
  "metadata, not modified": 304,
  "download link": 302,
  "without a licence": 403,
  "unknown key": 401,
};

const PATHS: Record<Exclude<Kind, "file from its link">, string> = {
  "metadata, not modified": `${API}/metadata?id=${LICENSED}`,
  metadata: `${API}/metadata?id=${LICENSED}`,
  checksum: `${API}/checksum?id=${LICENSED}&format=mmdb`,
  list: `${API}/list`,
  "download link": `${API}/download?id=${LICENSED}&format=mmdb`,
  "file as a stream": `${API}/download?id=${LICENSED}&format=csvgz&delivery=stream`,
  history: `${API}/downloads`,
  "without a licence": `${API}/download?id=${UNLICENSED}&format=mmdb`,
  "unknown key": `${API}/metadata?id=${LICENSED}`,
  "v1 file": `/api/v1/database/download?id=${LICENSED}&format=mmdb`,
};

export interface MixedRequest {
  kind: Kind;
  url: string;
  headers: Record<string, string>;
  /** The expected status of the response. */
  status: number;
}

/** Draws the requests of many customers. */
export class Mix {
  readonly #origin: string;
  readonly #keys: readonly string[];
  readonly #legacyKey: string;
  readonly #etag: string;
  readonly #random = new Random(1);
  readonly #links: string[] = [];
  readonly #deck = Object.entries(SHARES).flatMap(([kind, share]) => Array.from({ length: share }, () => kind as Kind));

  constructor(origin: string, customers: { keys: readonly string[]; legacyKey: string; etag: string }) {
    this.#origin = origin;
    this.#keys = customers.keys;
    this.#legacyKey = customers.legacyKey;
    this.#etag = customers.etag;
  }

  next(): MixedRequest {
    const kind = this.#random.pick(this.#deck);
    const link = kind === "file from its link" ? this.#links.shift() : undefined;
    if (link !== undefined) return { kind, url: link, headers: {}, status: 200 };
    return this.#apiRequest(kind === "file from its link" ? "download link" : kind);
  }

  /** Takes the link of a download, so that a later request follows it. */
  learn(location: string): void {
    if (this.#links.length < LINKS_MAX) this.#links.push(location);
  }

  #apiRequest(kind: keyof typeof PATHS): MixedRequest {
    const key = kind === "unknown key" ? UNKNOWN_KEY : this.#random.pick(this.#keys);
    const headers: Record<string, string> = kind === "v1 file" ? {} : { authorization: `Bearer ${key}` };
    if (kind === "metadata, not modified") headers["if-none-match"] = this.#etag;
    const url = `${this.#origin}${PATHS[kind]}${kind === "v1 file" ? `&apikey=${this.#legacyKey}` : ""}`;
    return { kind, url, headers, status: STATUSES[kind] ?? 200 };
  }
}
