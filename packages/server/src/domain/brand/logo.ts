import { readFileSync } from "node:fs";
import { resolve } from "node:path";

export interface Logo {
  contentType: "image/svg+xml" | "image/png";
  bytes: Buffer;
}

/** Every page loads it, so it should be small. */
const MAX_BYTES = 256 * 1024;
const PNG_SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** Reads a logo. Throws an error that says what the file must be. */
export function readLogo(path: string): Logo {
  const bytes = read(resolve(path));
  if (bytes.length > MAX_BYTES) {
    throw new Error(`must have at most ${MAX_BYTES / 1024} KiB: ${path} has ${Math.ceil(bytes.length / 1024)} KiB`);
  }
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return { contentType: "image/png", bytes };
  if (isSvg(bytes)) return { contentType: "image/svg+xml", bytes };
  throw new Error(`must be an SVG or PNG file: ${path} is neither`);
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`cannot read ${path} (${(error as NodeJS.ErrnoException).code}): check the path and permissions`);
  }
}

/** The first element is `svg`, after an XML declaration, comments and a document type. */
function isSvg(bytes: Buffer): boolean {
  const start = bytes
    .subarray(0, 4096)
    .toString()
    .replace(/^\uFEFF/, "");
  return /^\s*(?:<\?[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>[]*(?:\[[^\]]*\])?>\s*)*<svg[\s>]/is.test(start);
}
