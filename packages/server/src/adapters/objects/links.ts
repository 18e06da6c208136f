import type { LinkTerms, ObjectKey } from "../../domain/builds/object-store.ts";
import { requireObjectKey } from "./object-key.ts";
import { type Authority, createPresigner, encodePath } from "./sigv4.ts";

/**
 * Links are dated this far in the past, because some S3 servers refuse a signature from their future and clocks differ.
 * The expiry is extended accordingly.
 */
const BACKDATED_SECONDS = 60;
/** Usually more than the number of files that are downloaded within a second. */
const LINKS_REUSED = 1000;

export interface LinkTarget {
  /** The origin of links, like https://bucket.s3.eu-west-1.amazonaws.com */
  origin: string;
  /** The path before the key: "/", or "/bucket/prefix/". Not encoded. */
  basePath: string;
}

/**
 * Returns the `link` method of a store. The time in a link has no fraction, so all requests for the same file within a
 * second get the same link, and it is signed once.
 */
export function linkSigner({ origin, basePath }: LinkTarget, authority: Authority) {
  const presign = createPresigner(origin, authority);
  const links = new Map<string, string>();
  let second = 0;
  return (key: ObjectKey, { ttlSeconds, filename, contentType, now, method = "GET" }: LinkTerms): string => {
    const nowSecond = Math.floor(now.getTime() / 1000);
    if (nowSecond !== second || links.size >= LINKS_REUSED) {
      links.clear();
      second = nowSecond;
    }
    // A file name cannot contain a line feed, nor can an object key.
    const terms = [method, key, filename, contentType, ttlSeconds].join("\n");
    const earlier = links.get(terms);
    if (earlier !== undefined) return earlier;
    const link = presign({
      method,
      path: encodePath(basePath + requireObjectKey(key)),
      contentDisposition: attachment(filename),
      contentType,
      signed: new Date(now.getTime() - BACKDATED_SECONDS * 1000),
      expiresSeconds: ttlSeconds + BACKDATED_SECONDS,
    });
    links.set(terms, link);
    return link;
  };
}

/** Our file names are ids with an extension. Others would need the quoting rules of RFC 6266. */
function attachment(filename: string): string {
  if (!/^[\w. +-]+$/.test(filename)) {
    throw new TypeError(`${JSON.stringify(filename)} is not a valid file name for a link`);
  }
  return `attachment; filename="${filename}"`;
}
