/** Bytes `first` to `last`, inclusive. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Parses a Range header (RFC 9110, 14.2) as S3 does: several ranges, another unit or a malformed header mean the whole
 * object. A range that starts after the last byte is unsatisfiable.
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | "whole" | "unsatisfiable" {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") return suffix(Number(last), sizeBytes);
  if (last !== "" && Number(last) < Number(first)) return "whole";
  if (Number(first) >= sizeBytes) return "unsatisfiable";
  return { first: Number(first), last: last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}

function suffix(lengthBytes: number, sizeBytes: number): ByteRange | "unsatisfiable" {
  if (lengthBytes === 0 || sizeBytes === 0) return "unsatisfiable";
  return { first: Math.max(sizeBytes - lengthBytes, 0), last: sizeBytes - 1 };
}
