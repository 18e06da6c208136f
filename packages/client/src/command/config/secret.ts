import { inspect } from "node:util";

/** The public part of a dbdepot key ends with the second "_". */
const PUBLIC_PART = /^dbd_[0-9A-Za-z]{8}_/;

/** A key that cannot be printed by accident: only reveal() returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** The public part, which identifies the key. */
  toString(): string {
    return `${PUBLIC_PART.exec(this.#value)?.[0] ?? ""}…`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}
