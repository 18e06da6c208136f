import { requireObjectKey } from "./object-key.ts";
import { type Authority, createPresigner, encodePath } from "./sigv4.ts";
import type { LinkTerms, ObjectKey } from "./store.ts";

/**
 * Links are dated this far back: whoever verifies one may have a clock that is behind ours, and S3 servers refuse
 * what was signed in their future, some of them by a second. The link lives its whole time all the same.
 */
const BACKDATED_SECONDS = 60;

export interface LinkTarget {
  /** Where links point to, like https://bucket.s3.eu-west-1.amazonaws.com */
  origin: string;
  /** What stands before the key: "/", or "/bucket/prefix/". Not encoded. */
  basePath: string;
}

/** Gives the `link` of a store: the one place that turns terms into a signature. */
export function linkSigner({ origin, basePath }: LinkTarget, authority: Authority) {
  const presign = createPresigner(origin, authority);
  const encodedBase = encodePath(basePath);
  const sameSecond = new ThisSecond();
  return (key: ObjectKey, { ttlSeconds, filename, contentType, now, method = "GET" }: LinkTerms): string =>
    sameSecond.keep(now, key, { filename, contentType, ttlSeconds, method }, () =>
      presign({
        method,
        path: encodedBase + encodePath(requireObjectKey(key)),
        contentDisposition: attachment(filename),
        contentType,
        signed: new Date(now.getTime() - BACKDATED_SECONDS * 1000),
        expiresSeconds: ttlSeconds + BACKDATED_SECONDS,
      }),
    );
}

/**
 * Links are dated to the second, so those to one file that are made within it are the same, letter for letter. To
 * sign takes some 9 to 14 microseconds of a download's 55; when a new build is out, everybody asks for the same few.
 */
class ThisSecond {
  readonly #links = new Map<ObjectKey, { terms: Terms; link: string }>();
  #second = 0;

  keep(now: Date, key: ObjectKey, terms: Terms, make: () => string): string {
    const second = Math.floor(now.getTime() / 1000);
    if (second !== this.#second) {
      this.#links.clear();
      this.#second = second;
    }
    const kept = this.#links.get(key);
    if (kept && areSame(kept.terms, terms)) return kept.link;
    const link = make();
    this.#links.set(key, { terms, link });
    return link;
  }
}

type Terms = Required<Omit<LinkTerms, "now">>;

function areSame(one: Terms, other: Terms): boolean {
  return (
    one.filename === other.filename &&
    one.contentType === other.contentType &&
    one.ttlSeconds === other.ttlSeconds &&
    one.method === other.method
  );
}

/** Our names are ids with an ending. Others would need the quoting rules of RFC 6266. */
function attachment(filename: string): string {
  if (!/^[\w. +-]+$/.test(filename))
    throw new TypeError(`${JSON.stringify(filename)} cannot be a file's name in a link`);
  return `attachment; filename="${filename}"`;
}
