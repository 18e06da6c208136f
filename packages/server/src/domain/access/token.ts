import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { hashSecret, type SecretHash } from "./secret.ts";

const TOKEN_BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

/** The secret of a session or link. Printing, logging or serializing it does not show it, and only its hash is stored. */
export class Token {
  readonly #secret: string;

  private constructor(secret: string) {
    this.#secret = secret;
  }

  static generate(): Token {
    return new Token(randomBytes(TOKEN_BYTES).toString("base64url"));
  }

  /** Returns undefined if the text is malformed, so that it can be refused without a lookup. */
  static parse(text: string): Token | undefined {
    return SHAPE.test(text) ? new Token(text) : undefined;
  }

  hash(): SecretHash {
    return hashSecret(this.#secret);
  }

  reveal(): string {
    return this.#secret;
  }

  toJSON(): string {
    return "[token]";
  }

  [inspect.custom](): string {
    return this.toJSON();
  }
}
