import { LIMIT_NAMES } from "@dbdepot/contract/v2/limits";
import type { LineFaults } from "../../platform/primitives/bad-lines.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import { type Limits, requireLimit } from "../limits/limits.ts";
import { requireExternalId } from "../organizations/organizations.ts";
import type { ColumnName, RawRecord } from "./columns.ts";

/** Reads the values of one record and remembers what is wrong with them. */
export class Cells {
  readonly line: number;
  readonly #record: RawRecord;
  readonly #faults: LineFaults;
  #isFaulty = false;

  constructor(record: RawRecord, faults: LineFaults) {
    this.line = record.line;
    this.#record = record;
    this.#faults = faults;
  }

  check<T>(work: () => T): T | undefined {
    const value = this.#faults.check(this.line, () => ({ checked: work() }));
    if (!value) this.#isFaulty = true;
    return value?.checked;
  }

  /** Undefined if the value is missing or empty. */
  text(name: ColumnName): string | undefined {
    const value = this.#record.values[name];
    return typeof value === "string" ? value : undefined;
  }

  /** The value of a column that must not be empty, converted. */
  required<T>(name: ColumnName, convert: (text: string) => T): T | undefined {
    const text = this.text(name);
    return this.check(() => {
      if (text === undefined) throw invalid(`${name} is missing`);
      return convert(text);
    });
  }

  optional<T>(name: ColumnName, convert: (text: string) => T): T | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : this.check(() => convert(text));
  }

  /** Null, which removes the value, if it is empty. Undefined if it is missing. */
  removable<T>(name: ColumnName, convert: (text: string) => T): T | null | undefined {
    return this.#record.values[name] === null ? null : this.optional(name, convert);
  }

  time(name: ColumnName): Date | null | undefined {
    return this.removable(name, (text) => requireTime(name, text));
  }

  /** Omits limits that the record does not have. */
  get limits(): Partial<Limits> {
    const given = LIMIT_NAMES.flatMap((name) => {
      const value = this.#record.values[name];
      if (typeof value === "number") this.check(() => requireLimit(name, value));
      return value === undefined ? [] : [[name, value]];
    });
    return Object.fromEntries(given);
  }

  list<T>(name: ColumnName, convert: (values: readonly string[]) => T): T | undefined {
    const value = this.#record.values[name];
    return Array.isArray(value) ? this.check(() => convert(value)) : undefined;
  }

  flag(name: ColumnName): boolean | undefined {
    const value = this.#record.values[name];
    return typeof value === "boolean" ? value : undefined;
  }

  /** The external id of the organization. */
  get organization(): string | undefined {
    return this.check(() => {
      const { kind, organization } = this.#record;
      if (organization.trim() !== "") return requireExternalId(organization);
      throw invalid(
        kind === "organization"
          ? "the external id of the organization is missing"
          : "the record does not say which organization it belongs to",
      );
    });
  }

  /** The record, unless something is wrong with it. */
  result<T>(record: { [Field in keyof T]: T[Field] | undefined }): T | undefined {
    return this.#isFaulty ? undefined : (record as T);
  }
}

/** Finds records that appear twice. */
export class FirstLines {
  readonly #faults: LineFaults;
  readonly #lines = new Map<string, number>();

  constructor(faults: LineFaults) {
    this.#faults = faults;
  }

  /** `what` completes the sentence "… is the same as on line 3". */
  note(line: number, what: string, ...key: (string | undefined)[]): void {
    if (key.includes(undefined)) return;
    const id = JSON.stringify([what, ...key]);
    const first = this.#lines.get(id);
    if (first === undefined) this.#lines.set(id, line);
    else this.#faults.add(line, `${what} is the same as on line ${first}`);
  }
}
