import { isUtf8 } from "node:buffer";
import { type ByFormat, FORMATS, type Format } from "@dbdepot/contract/shared/formats";
import { type DatabaseMetadata, DatabaseMetadata as Schema } from "@dbdepot/contract/v2/metadata";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { Settings } from "typebox/system";

const MAX_FAULTS = 20;
/** Several errors can describe the same fault. */
const MAX_SCHEMA_ERRORS = 100;
const MAX_SAMPLE_ROWS = 100;
/** Bounds the time and memory of the validation. Real documents have a few hundred values. */
const MAX_VALUES = 50_000;

const schema = Compile(Schema);

/** The parts of a valid metadata document that publishing needs. */
interface DocumentSummary extends Pick<DatabaseMetadata, "id" | "updated" | "entries" | "schema" | "size"> {
  sampleFormats: Format[];
  /** Sizes of the sample files. Empty if the document does not mention any. */
  sampleSize: ByFormat<number>;
  sampleEntries: number | undefined;
  /** Contradictions between the sample and the schema. */
  sampleFaults: string[];
}

export type ParsedDocument = { metadata: DocumentSummary } | { faults: string[] };

/** Parses a metadata document and validates it against the contract. Reports at most 20 faults. */
export function parseDocument(document: Buffer): ParsedDocument {
  if (!isUtf8(document)) return { faults: ["not valid UTF-8"] };
  let metadata: unknown;
  try {
    metadata = JSON.parse(document.toString("utf8"));
  } catch (error) {
    return { faults: [`not valid JSON: ${(error as Error).message}`] };
  }
  if (hasTooManyValues(metadata)) return { faults: [`has more than ${MAX_VALUES} values`] };
  if (!schema.Check(metadata)) return { faults: limited(schemaFaults(metadata)) };
  const { id, updated, entries, schema: columns, size, sample = {} } = metadata;
  const { sample_size: sampleSize = {}, sample_entries: sampleEntries } = metadata;
  const sampleFormats = FORMATS.filter((format) => sample[format] !== undefined);
  const sampleFaults = limited(sampleFormats.flatMap((format) => findSampleFaults(metadata, format)));
  return {
    metadata: { id, updated, entries, schema: columns, size, sampleSize, sampleEntries, sampleFormats, sampleFaults },
  };
}

/** Uses no recursion, because the document may be nested deeply. */
function hasTooManyValues(root: unknown): boolean {
  const stack = [root];
  for (let count = 0; stack.length > 0; count += 1) {
    if (count + stack.length > MAX_VALUES) return true;
    const value = stack.pop();
    if (typeof value === "object" && value !== null) for (const child of Object.values(value)) stack.push(child);
  }
  return false;
}

function limited(faults: string[]): string[] {
  if (faults.length <= MAX_FAULTS) return faults;
  return [...faults.slice(0, MAX_FAULTS), `stopped after ${MAX_FAULTS} faults`];
}

function schemaFaults(metadata: unknown): string[] {
  const { maxErrors } = Settings.Get();
  // TypeBox reports eight errors by default.
  Settings.Set({ maxErrors: MAX_SCHEMA_ERRORS });
  try {
    const faults = [...new Set(schema.Errors(metadata).flatMap(describe))];
    return faults.length > 0 ? faults : ["does not match the schema of a metadata document"];
  } finally {
    Settings.Set({ maxErrors });
  }
}

function describe({ keyword, instancePath, params, message }: TLocalizedValidationError): string[] {
  const where = instancePath === "" ? "" : `${instancePath.slice(1).replaceAll("/", ".")}: `;
  const given = params as Record<string, unknown>;
  switch (keyword) {
    case "required":
      return (given.requiredProperties as string[]).map((name) => `${where}"${name}" is missing`);
    case "additionalProperties":
      return (given.additionalProperties as string[]).map((name) => `${where}"${name}" is not allowed`);
    case "boolean":
      // The field of an "additionalProperties" error, which is reported already.
      return [];
    case "type":
      return [`${where}must be ${TYPE_NAMES[String(given.type)] ?? given.type}`];
    case "format":
    case "pattern":
      return [`${where}${instancePath === "/updated" ? "must be a date (YYYY-MM-DD)" : message}`];
    default:
      return [`${where}${message}`];
  }
}

const TYPE_NAMES: Record<string, string> = {
  integer: "an integer",
  string: "a string",
  object: "an object",
  array: "an array",
};

/** Each sample row must have exactly the schema's columns. */
function findSampleFaults({ schema, sample }: DatabaseMetadata, format: Format): string[] {
  const rows = sample?.[format] ?? [];
  if (rows.length > MAX_SAMPLE_ROWS)
    return [`sample.${format} has ${rows.length} rows, at most ${MAX_SAMPLE_ROWS} are allowed`];
  if (!schema[format]) return [];
  const columns = new Set(schema[format].map(({ name }) => name));
  const faults: string[] = [];
  for (const [i, row] of rows.entries()) {
    for (const name of columns) {
      if (!Object.hasOwn(row, name)) faults.push(`sample.${format}, row ${i + 1}: "${name}" is missing`);
      if (faults.length > MAX_FAULTS) return faults;
    }
    for (const name of Object.keys(row)) {
      if (!columns.has(name)) faults.push(`sample.${format}, row ${i + 1}: "${name}" is not in the schema`);
      if (faults.length > MAX_FAULTS) return faults;
    }
  }
  return faults;
}
