import type { Random } from "../harness/random.ts";

/** How close a value is to what a schema allows. */
export type Care = "valid" | "nearly valid" | "wild";

/** Values that exist on the server, by the name of the field or parameter that expects them. */
export type KnownValues = (name: string) => readonly string[];

/** The parts of a JSON schema that the contract uses. */
interface Schema {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  format?: string;
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

const CARE: readonly Care[] = ["valid", "valid", "valid", "nearly valid", "nearly valid", "wild"];

/** Texts that have broken other programs. */
const HOSTILE_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\r\nSet-Cookie: x=1",
  "../../../../etc/passwd",
  "%00",
  "%",
  "%zz",
  "%ff%fe",
  "' OR 1=1 --",
  '"; DROP TABLE keys; --',
  "{{7*7}}",
  "<script>alert(1)</script>",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "-1",
  "1e400",
  "9007199254740993",
  "0x10",
  "\ud800",
  "\u202e\u0000\uffff",
  "İstanbul ß ﬀ",
  "🧨".repeat(40),
  "a".repeat(101),
  "a".repeat(1001),
  "9999-12-31T23:59:59.999999999Z",
  "-271821-04-20T00:00:00Z",
  "2026-02-30",
  "275760-09-13",
  "0.0.0.0/0",
  "::/129",
  "::ffff:127.0.0.1",
  "http://127.0.0.1/",
  "https://[::1]/",
  "https://user:password@hooks.example.com/#x",
  "https://2130706433/",
] as const;

const HOSTILE_NUMBERS = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324] as const;

export function hostileText(random: Random): string {
  return random.pick(HOSTILE_TEXTS);
}

/** Any JSON value, whatever the schema says. */
export function anyJson(random: Random, depth = 0): unknown {
  const kind = random.integer(0, depth > 4 ? 4 : 6);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.pick(HOSTILE_NUMBERS);
  if (kind <= 4) return hostileText(random);
  const length = random.integer(0, 4);
  if (kind === 5) return Array.from({ length }, () => anyJson(random, depth + 1));
  return Object.fromEntries(Array.from({ length }, () => [hostileText(random), anyJson(random, depth + 1)]));
}

/** Creates values from the schemas of the route table. */
export class Values {
  readonly #random: Random;
  readonly #known: KnownValues;

  constructor(random: Random, known: KnownValues) {
    this.#random = random;
    this.#known = known;
  }

  care(): Care {
    return this.#random.pick(CARE);
  }

  of(schema: object, care: Care, name = ""): unknown {
    return this.#value(schema as Schema, care, name);
  }

  #value(schema: Schema, care: Care, name: string): unknown {
    const random = this.#random;
    if (care === "wild" && random.chance(0.5)) return anyJson(random);
    if (schema.properties) return this.#object(schema, care);
    // One wrong field is enough: a request that is wrong everywhere never gets past the first check.
    if (care === "nearly valid" && random.chance(0.3)) return this.#broken(schema, name);
    if (schema.anyOf) return this.#value(random.pick(schema.anyOf), care, name);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    switch (schema.type) {
      case "null":
        return null;
      case "boolean":
        return random.chance(0.5);
      case "integer":
      case "number":
        return random.integer(schema.minimum ?? 0, Math.min(schema.maximum ?? 1000, random.pick([3, 100, 1e9])));
      case "array":
        return this.#array(schema, care, name);
      default:
        return this.#text(schema, name);
    }
  }

  #object({ properties = {}, required = [] }: Schema, care: Care): object {
    const random = this.#random;
    const entries = Object.entries(properties)
      .filter(([name]) => required.includes(name) || random.chance(0.5))
      .filter(() => care === "valid" || random.chance(0.95))
      .map(([name, schema]) => [name, this.#value(schema, care, name)]);
    if (care !== "valid" && random.chance(0.15)) entries.push([hostileText(random), anyJson(random)]);
    return Object.fromEntries(entries);
  }

  #array({ items = {}, maxItems = 3 }: Schema, care: Care, name: string): unknown[] {
    const length = care === "valid" ? this.#random.integer(0, Math.min(maxItems, 3)) : this.#random.integer(0, 20);
    return Array.from({ length }, () => this.#value(items, care, name));
  }

  #text({ format, examples = [], minLength = 0 }: Schema, name: string): string {
    const random = this.#random;
    const known = this.#known(name);
    if (known.length > 0 && random.chance(0.8)) return random.pick(known);
    if (format === "uuid") return random.uuid();
    if (format === "date-time") return new Date(random.integer(1.7e12, 1.9e12)).toISOString();
    if (examples.length > 0 && random.chance(0.7)) return String(random.pick(examples));
    return `fuzz ${random.integer(0, 1e9)}`.padEnd(minLength, "x");
  }

  #broken({ maxLength, maximum }: Schema, name: string): unknown {
    const random = this.#random;
    const text = random.pick([...this.#known(name), "text"]);
    return random.pick<() => unknown>([
      () => null,
      () => hostileText(random),
      () => `${text}${hostileText(random)}`,
      () => text.toUpperCase(),
      () => "x".repeat((maxLength ?? 100) + 1),
      () => (maximum ?? 1000) + 1,
      () => random.pick(HOSTILE_NUMBERS),
      () => [text],
      () => ({ [text]: text }),
    ])();
  }
}
