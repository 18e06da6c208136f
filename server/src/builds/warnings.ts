import { FORMATS } from "@dbdepot/contract/formats";
import type { Build } from "./build.ts";
import { columnWarnings } from "./column-warnings.ts";

/** How much a build may differ from the current one, as a share of it. */
const MAX_DIFFERENCE = 0.5;

/** Signs that a build was published by mistake, compared with the build that it would replace. */
export function findWarnings(next: Build, current: Build): string[] {
  const warnings: string[] = [];
  // The metadata document is invalid, which is reported as a fault.
  if (next.updated === "") return warnings;
  if (differsTooMuch(next.entries, current.entries)) {
    warnings.push(`new build has ${next.entries} rows, current build has ${current.entries}`);
  }
  for (const format of FORMATS) {
    const [size, currentSize] = [next.files[format]?.sizeBytes, current.files[format]?.sizeBytes];
    if (size !== undefined && currentSize !== undefined && differsTooMuch(size, currentSize)) {
      warnings.push(`new ${format} has ${size} bytes, current ${format} has ${currentSize}`);
    }
  }
  // YYYY-MM-DD sorts by date.
  if (next.updated < current.updated) {
    warnings.push(`new build is dated ${next.updated}, current build ${current.updated}`);
  }
  return [...warnings, ...columnWarnings(next, current)];
}

function differsTooMuch(next: number, current: number): boolean {
  return Math.abs(next - current) > MAX_DIFFERENCE * current;
}
