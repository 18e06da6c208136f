import { isUtf8 } from "node:buffer";
import { type DatabaseMetadata, DatabaseMetadata as Schema } from "@dbdepot/contract/metadata";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { Settings } from "typebox/system";

/** Ours are a few KiB. It is kept in memory with each current build. */
export const DOCUMENT_MAX_BYTES = 1024 * 1024;
const FAULTS_MAX = 100;

const schema = Compile(Schema);

export type ReadDocument = { metadata: DatabaseMetadata } | { faults: string[] };

/** Reads the exporter's document about a build, or tells all that is wrong with its shape. */
export function readDocument(document: Buffer): ReadDocument {
  if (document.length > DOCUMENT_MAX_BYTES) return { faults: [`it is larger than ${DOCUMENT_MAX_BYTES} bytes`] };
  if (!isUtf8(document)) return { faults: ["it is not UTF-8"] };
  let metadata: unknown;
  try {
    metadata = JSON.parse(document.toString("utf8"));
  } catch (error) {
    return { faults: [`it is not JSON: ${(error as Error).message}`] };
  }
  const faults = shapeFaults(metadata);
  return faults.length > 0 ? { faults } : { metadata: metadata as DatabaseMetadata };
}

function shapeFaults(metadata: unknown): string[] {
  const { maxErrors } = Settings.Get();
  // TypeBox stops at eight, unless told otherwise.
  Settings.Set({ maxErrors: FAULTS_MAX });
  try {
    // In words, some of them say the same.
    return [...new Set(schema.Errors(metadata).flatMap(inWords))];
  } finally {
    Settings.Set({ maxErrors });
  }
}

function inWords({ keyword, instancePath, params, message }: TLocalizedValidationError): string[] {
  const where = instancePath === "" ? "" : `${instancePath.slice(1).replaceAll("/", ".")}: `;
  const given = params as Record<string, unknown>;
  switch (keyword) {
    case "required":
      return (given.requiredProperties as string[]).map((name) => `${where}"${name}" is missing`);
    case "additionalProperties":
      return (given.additionalProperties as string[]).map((name) => `${where}"${name}" does not belong here`);
    case "boolean":
      // The same fault as the one before, seen from the field itself.
      return [];
    case "type":
      return [`${where}must be ${NAMES_OF_TYPES[String(given.type)] ?? given.type}`];
    case "format":
    case "pattern":
      return [`${where}${instancePath === "/updated" ? "must be a day, YYYY-MM-DD" : message}`];
    default:
      return [`${where}${message}`];
  }
}

const NAMES_OF_TYPES: Record<string, string> = {
  integer: "a whole number",
  string: "a text",
  object: "an object",
  array: "a list",
};
