import type { TLocalizedValidationError } from "typebox/error";

/** Describes what is wrong with a query or a body, in one line. */
export function inWords(errors: readonly TLocalizedValidationError[]): string {
  return errors.flatMap(fault).join("; ");
}

function fault({ keyword, instancePath, params, message }: TLocalizedValidationError): string[] {
  const where = instancePath === "" ? "" : `${instancePath.slice(1).replaceAll("/", ".")} `;
  const given = params as Record<string, unknown>;
  switch (keyword) {
    case "required":
      return (given.requiredProperties as string[]).map((name) => `${where}"${name}" is missing`);
    case "additionalProperties":
      return (given.additionalProperties as string[]).map((name) => `${where}unknown "${name}"`);
    case "boolean":
      // Repeats the additionalProperties error for the field itself.
      return [];
    case "enum":
      return [`${where}must be one of ${(given.allowedValues as unknown[]).join(", ")}`];
    case "type":
      return [`${where}must be ${NAMES_OF_TYPES[String(given.type)] ?? given.type}`];
    case "pattern":
      return [`${where}contains invalid characters`];
    default:
      return [`${where}${message}`];
  }
}

const NAMES_OF_TYPES: Record<string, string> = {
  integer: "an integer",
  string: "a single string",
  object: "an object",
  array: "an array",
  boolean: "true or false",
};
