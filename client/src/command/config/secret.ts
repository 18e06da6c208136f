import { inspect } from "node:util";

/** Keys of dbdepot have a public part, up to the second "_". */
const PUBLIC_PART = /^dbd_[0-9A-Za-z]{8}_/;

/** A key. It shows itself to whoever asks by name, and to no log, message or document. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Enough to tell one key from another. */
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
