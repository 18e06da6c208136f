import type { TLocalizedValidationError } from "typebox/error";

/** What is wrong with a query or a body, in one line. */
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
      return (given.additionalProperties as string[]).map((name) => `${where}there is no "${name}" here`);
    case "boolean":
      // The same fault as the one before, seen from the field itself.
      return [];
    case "enum":
      return [`${where}must be one of ${(given.allowedValues as unknown[]).join(", ")}`];
    case "type":
      return [`${where}must be ${NAMES_OF_TYPES[String(given.type)] ?? given.type}`];
    case "pattern":
      return [`${where}has characters that do not belong there`];
    default:
      return [`${where}${message}`];
  }
}

const NAMES_OF_TYPES: Record<string, string> = {
  integer: "a whole number",
  string: "a text, given once",
  object: "an object",
  array: "a list",
  boolean: "true or false",
};
