import { isUtf8 } from "node:buffer";
import { type DatabaseMetadata, DatabaseMetadata as Schema } from "@dbdepot/contract/metadata";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { Settings } from "typebox/system";

/** The documents of all current builds are kept in memory. Typical ones have a few KiB. */
export const DOCUMENT_MAX_BYTES = 1024 * 1024;
const FAULTS_MAX = 100;

const schema = Compile(Schema);

export type ReadDocument = { metadata: DatabaseMetadata } | { faults: string[] };

/** Parses the metadata document of a build and validates it against the contract. */
export function readDocument(document: Buffer): ReadDocument {
  if (document.length > DOCUMENT_MAX_BYTES) return { faults: [`larger than ${DOCUMENT_MAX_BYTES} bytes`] };
  if (!isUtf8(document)) return { faults: ["not valid UTF-8"] };
  let metadata: unknown;
  try {
    metadata = JSON.parse(document.toString("utf8"));
  } catch (error) {
    return { faults: [`not valid JSON: ${(error as Error).message}`] };
  }
  const faults = schemaFaults(metadata);
  return faults.length > 0 ? { faults } : { metadata: metadata as DatabaseMetadata };
}

function schemaFaults(metadata: unknown): string[] {
  const { maxErrors } = Settings.Get();
  // TypeBox reports eight errors by default.
  Settings.Set({ maxErrors: FAULTS_MAX });
  try {
    // Different errors can have the same description.
    return [...new Set(schema.Errors(metadata).flatMap(describe))];
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
