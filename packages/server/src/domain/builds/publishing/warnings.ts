import { FORMATS, sampleOf } from "@dbdepot/contract/shared/formats";
import type { Build } from "../build.ts";
import { type ColumnChanges, changedColumns } from "./column-changes.ts";

/** How much a build may differ from the current one, as a fraction of the current one. */
const MAX_DIFFERENCE = 0.5;
/** A smaller database may be its own sample. */
const MAX_ROWS_OF_FULL_SAMPLE = 1000;
const MAX_COLUMN_CHANGES = 20;
const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Signs that a build is a mistake, on its own or compared with the build it would replace. */
export function findWarnings(next: Build, current: Build | undefined): string[] {
  // The metadata document is invalid, which is reported as a fault.
  if (next.updated === "") return [];
  return [...sampleWarnings(next), ...(current ? differences(next, current) : [])];
}

/** Everyone can download samples, so one with all rows gives the database away. */
function sampleWarnings({ entries, files }: Build): string[] {
  if (entries <= MAX_ROWS_OF_FULL_SAMPLE) return [];
  return FORMATS.flatMap((format) => {
    const [full, sample] = [files[format], files[sampleOf(format)]];
    const isSame = full && full.checksums.sha256 === sample?.checksums.sha256;
    return isSame ? [`${sampleOf(format)} is the full ${format} file, with all ${entries} rows`] : [];
  });
}

function differences(next: Build, current: Build): string[] {
  const warnings: string[] = [];
  if (differsTooMuch(next.entries, current.entries)) {
    const [rows, currentRows] = [rowsOf(next.entries), rowsOf(current.entries)];
    const difference = differenceInPercent(next.entries, current.entries, ["more", "fewer"]);
    warnings.push(`the new build has ${rows}, ${difference} than the current one, which has ${currentRows}`);
  }
  for (const format of FORMATS) {
    const [size, currentSize] = [next.files[format]?.sizeBytes, current.files[format]?.sizeBytes];
    if (size !== undefined && currentSize !== undefined && differsTooMuch(size, currentSize)) {
      const difference = differenceInPercent(size, currentSize, ["larger", "smaller"]);
      const sizes = `${bytesOf(size)}, ${difference} than the current one, which has ${bytesOf(currentSize)}`;
      warnings.push(`the new ${format} file has ${sizes}`);
    }
  }
  // YYYY-MM-DD sorts by date.
  if (next.updated < current.updated) {
    warnings.push(`the new build is dated ${next.updated}, but the current one is newer: ${current.updated}`);
  }
  return [...warnings, ...columnWarnings(next, current)];
}

const numbers = new Intl.NumberFormat("en");

function rowsOf(count: number): string {
  return `${numbers.format(count)} ${count === 1 ? "row" : "rows"}`;
}

/** "1.23 MB", as the console shows it. */
function bytesOf(count: number): string {
  const power = count < 1000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  const format = { style: "unit", unit: BYTE_UNITS[power], unitDisplay: power === 0 ? "long" : "short" } as const;
  return new Intl.NumberFormat("en", { ...format, maximumSignificantDigits: 3 }).format(count / 1000 ** power);
}

/** "94 % fewer" */
function differenceInPercent(next: number, current: number, [more, less]: readonly [string, string]): string {
  const word = next > current ? more : less;
  if (current === 0) return word;
  return `${numbers.format(Math.round((Math.abs(next - current) / current) * 100))} % ${word}`;
}

function differsTooMuch(next: number, current: number): boolean {
  return Math.abs(next - current) > MAX_DIFFERENCE * current;
}

/**
 * A version's columns are frozen, because customers' programs rely on their names, order and types. Expects builds with
 * valid metadata documents.
 */
export function columnWarnings(next: Build, current: Build): string[] {
  return Object.entries(changedColumns(next, current)).map(([format, found]) => {
    const changes = describe(found);
    const more = changes.length > MAX_COLUMN_CHANGES ? `, and ${changes.length - MAX_COLUMN_CHANGES} more` : "";
    const shown = changes.slice(0, MAX_COLUMN_CHANGES).join(", ");
    return `${format} columns differ from the current build: ${shown}${more}. Add a new version for other columns`;
  });
}

function describe({ added, removed, retyped, reordered }: ColumnChanges): string[] {
  return [
    ...removed.map((name) => `"${name}" is missing`),
    ...added.map((name) => `"${name}" is new`),
    ...retyped.map(({ name, type, before }) => `"${name}" is ${type} instead of ${before}`),
    ...(reordered
      ? [`the order is ${JSON.stringify(reordered.order)} instead of ${JSON.stringify(reordered.before)}`]
      : []),
  ];
}
