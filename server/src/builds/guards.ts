import { FORMATS } from "@dbdepot/contract/formats";
import type { Build } from "./build.ts";

/** A build may differ from the current one by this share of it before somebody has to insist. */
const SHARE_MAX = 0.5;

/** What makes a build look like an accident, beside the one that it would replace. */
export function suspicions(next: Build, current: Build): string[] {
  const found: string[] = [];
  // Its document cannot be read, which is told already.
  if (next.updated === "") return found;
  if (isFarOff(next.entries, current.entries)) {
    found.push(`it has ${next.entries} rows, and the current build has ${current.entries}`);
  }
  for (const format of FORMATS) {
    const [size, currentSize] = [next.files[format]?.sizeBytes, current.files[format]?.sizeBytes];
    if (size !== undefined && currentSize !== undefined && isFarOff(size, currentSize)) {
      found.push(`its ${format} has ${size} bytes, and the current build's has ${currentSize}`);
    }
  }
  // Both are YYYY-MM-DD, which sort like the days they name.
  if (next.updated < current.updated) {
    found.push(`it is of ${next.updated}, and the current build is of ${current.updated}`);
  }
  return found;
}

function isFarOff(next: number, current: number): boolean {
  return Math.abs(next - current) > SHARE_MAX * current;
}
