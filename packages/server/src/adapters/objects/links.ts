import type { ObjectStore } from "../../domain/builds/object-store.ts";
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

/** Returns the `link` method of a store. */
export function linkSigner({ origin, basePath }: LinkTarget, authority: Authority) {
  const presign = createPresigner(origin, authority);
  return reuseWithinSecond((key, { ttlSeconds, filename, contentType, now, method = "GET" }) =>
    presign({
      method,
      path: encodePath(basePath + requireObjectKey(key)),
      contentDisposition: attachment(filename),
      contentType,
      signed: new Date(now.getTime() - BACKDATED_SECONDS * 1000),
      expiresSeconds: ttlSeconds + BACKDATED_SECONDS,
    }),
  );
}

/**
 * The time in a link has no fraction, so all requests for the same file within a second get the same link, and it is signed
 * once.
 */
export function reuseWithinSecond(sign: ObjectStore["link"]): ObjectStore["link"] {
  const links = new Map<string, string>();
  let second = 0;
  return (key, terms) => {
    const nowSecond = Math.floor(terms.now.getTime() / 1000);
    if (nowSecond !== second || links.size >= LINKS_REUSED) {
      links.clear();
      second = nowSecond;
    }
    const { ttlSeconds, filename, contentType, method, region } = terms;
    // A file name cannot contain a line feed, nor can an object key.
    const name = [method, key, filename, contentType, ttlSeconds, region].join("\n");
    let link = links.get(name);
    if (link === undefined) {
      link = sign(key, terms);
      links.set(name, link);
    }
    return link;
  };
}

/** Our file names are ids with an extension. Others would need the quoting rules of RFC 6266. */
export function isFileName(name: string): boolean {
  return /^[\w. +-]+$/.test(name);
}

export function attachment(filename: string): string {
  if (!isFileName(filename)) throw new TypeError(`${JSON.stringify(filename)} is not a valid file name for a link`);
  return `attachment; filename="${filename}"`;
}
