import { randomInt } from "node:crypto";
import { hashSecret, type SecretHash } from "../access/secret.ts";

const CODES = 10;
const GROUPS = 4;
const GROUP_LENGTH = 4;
/** Omits letters and digits that look alike. 32 characters make 80 bits per code, too many to guess from a hash. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

/** "k3vx-9mqa-p2fs-7hyt": works once, instead of a passkey. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, group).join("-"));
}

function group(): string {
  return Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Case, spaces and hyphens don't matter. */
export function hashRecoveryCode(code: string): SecretHash {
  return hashSecret(code.toLowerCase().replaceAll(/[\s-]/g, ""));
}
