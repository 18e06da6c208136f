import type { TSchema } from "typebox";
import type { JsonSchema } from "./model.ts";

const EXAMPLE_ID = "019a8c11-04d2-7a3f-8e64-5b7f20c9d1aa";
const EXAMPLE_TIME = "2026-11-02T06:17:31.402Z";

/** Returns a value that matches the schema, built from the examples of its fields. Uses the first of several alternatives. */
export function exampleOf(schema: TSchema): unknown {
  return exampleFor(schema as JsonSchema);
}

function exampleFor(schema: JsonSchema, name = ""): unknown {
  const { examples, default: preset, enum: values, const: constant, anyOf, items, type } = schema;
  const given = examples?.[0] ?? preset ?? values?.[0] ?? constant;
  if (given !== undefined) return given;
  if (anyOf) return exampleFor(anyOf[0] ?? {}, name);
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([field, each]) => [field, exampleFor(each, field)]),
      );
    case "array":
      return items ? [exampleFor(items)] : [];
    case "string":
      return stringFor(schema, name);
    case "boolean":
      return false;
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    default:
      return null;
  }
}

function stringFor({ format }: JsonSchema, name: string): string {
  if (format === "date-time") return EXAMPLE_TIME;
  if (format === "date") return EXAMPLE_TIME.slice(0, 10);
  return name === "id" || name.endsWith("_id") ? EXAMPLE_ID : "text";
}
