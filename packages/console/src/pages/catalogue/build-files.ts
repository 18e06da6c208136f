import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import type { FileKind, Format } from "@dbdepot/contract/shared/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { formatBytes } from "../../components/format.ts";
import { FILE_NAMES } from "../databases/formats.ts";

/** The files chosen for a build: the metadata document, a file per format, and optional samples. */
export type Slot = "metadata" | FileKind;
export type ChosenFiles = Partial<Record<Slot, File>>;

export const SLOT_NAMES: Record<Slot, string> = { metadata: "Metadata", ...FILE_NAMES };

const PATTERNS: [Slot, RegExp][] = [
  ["metadata", /\.json$/i],
  ["sample_csvgz", /\.sample\.csv\.gz$/i],
  ["sample_mmdb", /\.sample\.mmdb$/i],
  ["csvgz", /\.csv\.gz$/i],
  ["mmdb", /\.mmdb$/i],
];

export function slotsOf({ formats }: ListedVersion): Slot[] {
  return ["metadata", ...formats, ...formats.map((format): Slot => `sample_${format}`)];
}

export function isOptional(slot: Slot): boolean {
  return slot.startsWith("sample_");
}

export function exampleName({ id }: ListedVersion, slot: Slot): string {
  if (slot === "metadata") return `${id}.metadata.json`;
  return `${id}${isOptional(slot) ? ".sample" : ""}${slot.endsWith("mmdb") ? ".mmdb" : ".csv.gz"}`;
}

/** Assigns files to slots by their names. Returns the names of files that fit no slot. */
export function assign(files: readonly File[], slots: readonly Slot[]): { chosen: ChosenFiles; ignored: string[] } {
  const chosen: ChosenFiles = {};
  const ignored: string[] = [];
  for (const file of files) {
    const slot = PATTERNS.find(([, pattern]) => pattern.test(file.name))?.[0];
    if (slot && slots.includes(slot)) chosen[slot] = file;
    else ignored.push(file.name);
  }
  return { chosen, ignored };
}

/** The file if it is a plain CSV, from which the server can create a build. */
export function plainCsv(files: readonly File[]): File | undefined {
  const [file, ...others] = files;
  return others.length === 0 && file && /\.csv$/i.test(file.name) ? file : undefined;
}

/** Finds problems that the server would refuse anyway, before gigabytes are sent. */
export async function findProblems(version: ListedVersion, chosen: ChosenFiles): Promise<string[]> {
  const missing = slotsOf(version).filter((slot) => !isOptional(slot) && !chosen[slot]);
  if (!chosen.metadata || missing.length > 0) {
    return missing.map((slot) => `Choose the file for ${SLOT_NAMES[slot]}, usually ${exampleName(version, slot)}.`);
  }
  const metadata = parse(await chosen.metadata.text());
  if (!metadata)
    return [`${chosen.metadata.name} is not a JSON document. Choose the metadata that your exporter wrote.`];
  if (metadata.id !== version.id) {
    return [`The metadata is about ${metadata.id ?? "no database"}, but this is ${version.id}.`];
  }
  return Object.entries(chosen).flatMap(([slot, file]) => {
    if (slot === "metadata") return [];
    const sizes = isOptional(slot as Slot) ? metadata.sample_size : metadata.size;
    const expected = sizes?.[slot.replace("sample_", "") as Format];
    if (expected === undefined || expected === file.size) return [];
    return [
      `${file.name} has ${formatBytes(file.size)}, but the metadata says ${formatBytes(expected)}. Choose files of the same build.`,
    ];
  });
}

function parse(text: string): Partial<DatabaseMetadata> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
