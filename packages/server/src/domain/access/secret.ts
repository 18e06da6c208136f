import { hash, randomInt } from "node:crypto";
import { inspect } from "node:util";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PUBLIC_LENGTH = 8;
const RANDOM_LENGTH = 32;
const RANDOM_MAX_LENGTH = 128;
const CHECKSUM_LENGTH = 6;
const PREFIX = new RegExp(`^dbd_[0-9A-Za-z]{${PUBLIC_LENGTH}}$`);
const SHAPE = new RegExp(
  `^(dbd_[0-9A-Za-z]{${PUBLIC_LENGTH}})_([0-9A-Za-z]{${RANDOM_LENGTH},${RANDOM_MAX_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

const V2_KEY = /(dbd_[0-9A-Za-z]{8}_)[0-9A-Za-z]{8,}/g;
const V1_KEY = /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gi;

/** Whether the text is the public part of a key. */
export function isPrefix(text: string): boolean {
  return PREFIX.test(text);
}

declare const hashed: unique symbol;
/** The SHA-256 of a whole secret, in hexadecimal. Only this hash is stored. */
export type SecretHash = string & { readonly [hashed]: true };

export function hashSecret(secret: string): SecretHash {
  return hash("sha256", secret) as SecretHash;
}

/**
 * A key with its secret. Printing, logging or serializing it shows only the prefix. `reveal` is for the one response
 * that returns it.
 */
export class PlainKey {
  readonly prefix: string;
  readonly #secret: string;

  private constructor(prefix: string, secret: string) {
    this.prefix = prefix;
    this.#secret = secret;
  }

  static generate(): PlainKey {
    const prefix = `dbd_${randomText(PUBLIC_LENGTH)}`;
    const body = `${prefix}_${randomText(RANDOM_LENGTH)}`;
    return new PlainKey(prefix, body + checksumOf(body));
  }

  /** Returns undefined if the text is malformed or mistyped, so that it can be refused without a lookup. */
  static parse(text: string): PlainKey | undefined {
    const match = SHAPE.exec(text);
    if (match?.[1] === undefined) return undefined;
    const body = text.slice(0, -CHECKSUM_LENGTH);
    return checksumOf(body) === match[3] ? new PlainKey(match[1], text) : undefined;
  }

  hash(): SecretHash {
    return hashSecret(this.#secret);
  }

  reveal(): string {
    return this.#secret;
  }

  toString(): string {
    return `${this.prefix}_…`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

function randomText(length: number): string {
  let text = "";
  for (let i = 0; i < length; i += 1) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}

/** A CRC-32 in base 62. It detects mistyped and truncated keys, and helps secret scanners to recognize keys. */
function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/** Keeps the public prefix of v2 keys and hides their secrets. For texts with ids, which look like v1 keys. */
export function maskV2Keys(text: string): string {
  return text.replace(V2_KEY, "$1***");
}

/** Replaces everything that looks like a key; of a v2 key the public prefix stays. */
export function maskKeys(text: string): string {
  return maskV2Keys(text).replace(V1_KEY, "***");
}
