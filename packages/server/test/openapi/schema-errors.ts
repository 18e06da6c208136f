import { Compile } from "typebox/schema";
import type { JsonSchema, OpenApiDocument } from "../../src/http/openapi/model.ts";

/** Validates the value with the document's schema. Returns an empty array if it is valid. */
export function schemaErrors({ components }: OpenApiDocument, schema: JsonSchema, value: unknown): string[] {
  const [, errors] = Compile({ ...schema, components }).Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
}
