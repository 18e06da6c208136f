import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { type JsonSchema, referTo } from "./model.ts";

/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS = ["const", "default", "enum", "examples"];

/**
 * Converts the contract's schemas to JSON Schema. A schema with a title becomes a component of
 * that name and is referenced wherever it is used.
 */
export class NamedSchemas {
  readonly #named = new Map<string, JsonSchema>();

  /** All titled schemas written so far, sorted by name. */
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
    // A property named "title" is a schema rather than a string.
    if (typeof written.title !== "string") return written;
    return this.#name(written.title, written);
  }

  #withKeywords(schema: object): JsonSchema {
    const keywords = Object.entries(schema).map(([keyword, value]) => [
      keyword,
      DATA_KEYWORDS.includes(keyword) ? value : this.#write(value),
    ]);
    // TypeBox omits the type of enums, but client generators need it.
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
