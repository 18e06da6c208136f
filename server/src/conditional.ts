import type { IncomingHttpHeaders } from "node:http";

/** Whether the caller has this representation already (RFC 9110, 13.1.2 and 13.1.3): then a 304 will do. */
export function isUnchanged(headers: IncomingHttpHeaders, etag: string, lastModified: Date): boolean {
  const ifNoneMatch = headers["if-none-match"];
  if (ifNoneMatch !== undefined) return ifNoneMatch === etag || matches(ifNoneMatch, etag);
  const since = headers["if-modified-since"];
  // A date that is none gives NaN, and every comparison with it is false.
  return since !== undefined && toSeconds(lastModified.getTime()) <= toSeconds(Date.parse(since));
}

function matches(header: string, etag: string): boolean {
  return header.split(",").some((part) => {
    const candidate = part.trim();
    return candidate === "*" || candidate === etag || candidate === `W/${etag}`;
  });
}

/** HTTP dates have no milliseconds. */
function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
