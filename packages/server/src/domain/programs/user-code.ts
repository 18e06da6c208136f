import { randomInt } from "node:crypto";
import { hashSecret, type SecretHash } from "../access/secret.ts";

/** The letters omit vowels, so that codes never spell a word, and Y, which is easily taken for V. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
/** Ten letters have 43 bits. */
const LENGTH = 10;
const SHAPE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

export function newUserCode(): string {
  let code = "";
  while (code.length < LENGTH) code += ALPHABET[randomInt(ALPHABET.length)];
  return shown(code);
}

/** The code as it is shown, such as `BCDFG-HJKLM`, however a person has typed it. Undefined if it cannot be a code. */
export function parseUserCode(text: string): string | undefined {
  const code = text.replace(/[\s-]/g, "").toUpperCase();
  return SHAPE.test(code) ? shown(code) : undefined;
}

export function hashUserCode(code: string): SecretHash {
  return hashSecret(code);
}

function shown(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}
