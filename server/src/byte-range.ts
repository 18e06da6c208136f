import type { IncomingHttpHeaders } from "node:http";

export type RangeAnswer = { kind: "whole" } | { kind: "part"; first: number; last: number } | { kind: "unsatisfiable" };

const WHOLE: RangeAnswer = { kind: "whole" };
const SINGLE_RANGE = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i;

/**
 * The part that a request asks for (RFC 9110, 14.2). A range that is none, several ranges,
 * and a range of something that has changed since (`If-Range`) get the whole.
 */
export function requestedRange(
  headers: IncomingHttpHeaders,
  sizeBytes: number,
  etag: string,
  lastModified: Date,
): RangeAnswer {
  const { range, "if-range": ifRange } = headers as Record<"range" | "if-range", string | undefined>;
  const match = range === undefined ? null : SINGLE_RANGE.exec(range);
  if (!match || (ifRange !== undefined && !isSame(ifRange, etag, lastModified))) return WHOLE;
  const [, firstText = "", lastText = ""] = match;
  if (firstText === "" && lastText === "") return WHOLE;
  if (firstText === "") {
    const length = Math.min(Number(lastText), sizeBytes);
    return length === 0 ? { kind: "unsatisfiable" } : { kind: "part", first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(firstText);
  const last = lastText === "" ? sizeBytes - 1 : Math.min(Number(lastText), sizeBytes - 1);
  // Written backwards it is no range at all; behind the end it is one that cannot be had.
  if (lastText !== "" && Number(lastText) < first) return WHOLE;
  return first >= sizeBytes ? { kind: "unsatisfiable" } : { kind: "part", first, last };
}

function isSame(ifRange: string, etag: string, lastModified: Date): boolean {
  const condition = ifRange.trim();
  return condition === etag || condition === lastModified.toUTCString();
}
