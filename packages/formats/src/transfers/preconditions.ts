import type { IncomingHttpHeaders } from "node:http";

export interface Validators {
  /** A strong tag, with its quotes. */
  etag: string;
  /** Undefined if only the tag tells versions apart. */
  modified?: Date;
}

/** Evaluates the conditions of a GET or HEAD in the order of RFC 9110, 13.2.2. */
export function evaluatePreconditions(
  headers: IncomingHttpHeaders,
  validators: Validators,
): "send" | "not_modified" | "failed" {
  const ifMatch = headers["if-match"];
  const unmodifiedSince = headers["if-unmodified-since"];
  if (ifMatch !== undefined) {
    if (!includesTag(ifMatch, validators.etag)) return "failed";
  } else if (unmodifiedSince !== undefined && modifiedSecond(validators) > seconds(Date.parse(unmodifiedSince))) {
    return "failed";
  }
  const ifNoneMatch = headers["if-none-match"];
  const modifiedSince = headers["if-modified-since"];
  if (ifNoneMatch !== undefined) {
    // Weak comparison: a proxy may have weakened our tag.
    return includesTag(ifNoneMatch.replaceAll('W/"', '"'), validators.etag) ? "not_modified" : "send";
  }
  // An invalid date is NaN, and every comparison with NaN is false.
  const isOld = modifiedSince !== undefined && modifiedSecond(validators) <= seconds(Date.parse(modifiedSince));
  return isOld ? "not_modified" : "send";
}

/** Whether If-Range allows a partial response, because the client's part is from the current object (RFC 9110, 13.1.5). */
export function allowsRange(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const ifRange = headers["if-range"]?.toString();
  if (ifRange === undefined || ifRange === validators.etag) return true;
  return !ifRange.includes('"') && seconds(Date.parse(ifRange)) === modifiedSecond(validators);
}

function includesTag(header: string, etag: string): boolean {
  return header.split(",").some((part) => part.trim() === "*" || part.trim() === etag);
}

function modifiedSecond({ modified }: Validators): number {
  return seconds(modified?.getTime() ?? Number.NaN);
}

/** HTTP dates have no milliseconds. */
function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
