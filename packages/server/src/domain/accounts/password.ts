import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { PASSWORD_LENGTH } from "@dbdepot/contract/console/accounts";
import { invalid } from "../../platform/primitives/faults.ts";

declare const hashed: unique symbol;
/** A password's hash in PHC string format, with the algorithm, its parameters and the salt. */
export type PasswordHash = string & { readonly [hashed]: true };

/** These are the parameters that OWASP recommends for argon2id: 19 MiB of memory, 2 passes, 1 lane. */
const COST = { memory: 19 * 1024, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const argon2Async = promisify(argon2);

/**
 * More than one address can have in flight, so that it cannot lock out the others. A full queue takes a few seconds.
 */
const QUEUE_MAX_LENGTH = 64;

/** Too many passwords are being checked already. Trying again in a few seconds may succeed. */
export class PasswordQueueFull extends Error {
  override readonly name = "PasswordQueueFull";
}

let last: Promise<unknown> = Promise.resolve();
let queueLength = 0;

/** Runs in a background thread, one at a time, because each takes 19 MiB and file access uses the same threads. */
async function derive(parameters: Argon2Parameters): Promise<Buffer> {
  if (queueLength >= QUEUE_MAX_LENGTH) throw new PasswordQueueFull("too many passwords are being checked");
  queueLength += 1;
  const result = last.then(() => argon2Async("argon2id", parameters));
  last = result.catch(() => {});
  try {
    return await result;
  } finally {
    queueLength -= 1;
  }
}

export async function hashPassword(password: string): Promise<PasswordHash> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await derive({ message: messageOf(password), nonce, tagLength: TAG_BYTES, ...COST });
  return phc(nonce, tag);
}

/**
 * Whether the password matches the hash. Without a hash it returns false, but takes as long, so that the response time
 * does not reveal which accounts exist.
 */
export async function verifyPassword(password: string, hash: PasswordHash | null): Promise<boolean> {
  const { cost, nonce, tag } = parse(hash ?? NO_PASSWORD);
  const given = await derive({ message: messageOf(password), nonce, tagLength: tag.length, ...cost });
  return timingSafeEqual(given, tag) && hash !== null;
}

export function requirePassword(password: string): string {
  const { minLength, maxLength } = PASSWORD_LENGTH;
  const { length } = [...password];
  if (length < minLength || length > maxLength) {
    throw invalid(`the password must have ${minLength} to ${maxLength} characters`);
  }
  return password;
}

/** The same password typed on another system may consist of other code points. */
function messageOf(password: string): Buffer {
  return Buffer.from(password.normalize("NFKC"));
}

function phc(nonce: Buffer, tag: Buffer): PasswordHash {
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(tag)}` as PasswordHash;
}

const NO_PASSWORD = phc(Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES));

function parse(hash: PasswordHash) {
  const match = PHC.exec(hash);
  if (!match) throw new Error("a stored password hash is not an argon2id PHC string");
  const [memory = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);
  const [nonce = Buffer.alloc(0), tag = Buffer.alloc(0)] = match.slice(4).map((text) => Buffer.from(text, "base64"));
  return { cost: { memory, passes, parallelism }, nonce, tag };
}

/** PHC strings have no padding. */
function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
