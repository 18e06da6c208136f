import { createHmac, randomBytes } from "node:crypto";
import { inspect } from "node:util";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;
const MASK = `${PREFIX}***`;

/**
 * The secret with which requests to a webhook are signed. Unlike the secrets of keys it is stored, because each request
 * needs it. Printing, logging or serializing it does not show it.
 */
export class WebhookSecret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  static generate(): WebhookSecret {
    return new WebhookSecret(PREFIX + randomBytes(SECRET_BYTES).toString("base64"));
  }

  /** A signature by https://www.standardwebhooks.com. */
  sign(messageId: string, timestampSeconds: number, body: string): string {
    const key = Buffer.from(this.#text.slice(PREFIX.length), "base64");
    const digest = createHmac("sha256", key).update(`${messageId}.${timestampSeconds}.${body}`).digest("base64");
    return `v1,${digest}`;
  }

  /** Returns the secret for the database, and for the responses that issue it. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
