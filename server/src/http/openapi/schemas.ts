import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { type JsonSchema, referTo } from "./model.ts";

/** Their values are data of the customer's kind, not schemas. */
const DATA_KEYWORDS = ["const", "default", "enum", "examples"];

/**
 * Writes the contract's schemas as JSON Schema. One that has a title becomes a component of
 * that name, and a reference wherever it is used.
 */
export class NamedSchemas {
  readonly #named = new Map<string, JsonSchema>();

  /** What was named so far. */
  inOrder(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  write(schema: TSchema): JsonSchema {
    return this.#write(schema) as JsonSchema;
  }

  #write(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#write(item));
    if (typeof value !== "object" || value === null) return value;
    const written = this.#withKeywords(value);
    // A property that is called "title" is a schema, no text.
    if (typeof written.title !== "string") return written;
    return this.#name(written.title, written);
  }

  #withKeywords(schema: object): JsonSchema {
    const keywords = Object.entries(schema).map(([keyword, value]) => [
      keyword,
      DATA_KEYWORDS.includes(keyword) ? value : this.#write(value),
    ]);
    // TypeBox leaves the type of an enum to its values; generators of clients want it said.
    const type = "enum" in schema && !("type" in schema) ? { type: "string" } : {};
    return { ...type, ...Object.fromEntries(keywords) };
  }

  #name(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#named.get(name);
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas have the title ${name}`);
    this.#named.set(name, schema);
    return { ...referTo("schemas", name) };
  }
}
