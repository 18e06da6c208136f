import { Compile } from "typebox/schema";
import type { JsonSchema, OpenApiDocument } from "../../src/http/openapi/model.ts";

/** What is wrong with the value, by the document's own schema; nothing when it is right. */
export function faultsOf({ components }: OpenApiDocument, schema: JsonSchema, value: unknown): string[] {
  const [, errors] = Compile({ ...schema, components }).Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
}
