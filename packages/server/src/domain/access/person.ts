import { randomBytes } from "node:crypto";
import { EMAIL_MAX_LENGTH, PERSON_NAME_MAX_LENGTH } from "@dbdepot/contract/console/accounts";
import { invalid } from "../../platform/primitives/faults.ts";

const EMAIL = /^[^\s\p{Cc}@<>(),;:"\\[\]]+@[^\s\p{Cc}@<>(),;:"\\[\]]+$/u;

export function isEmail(text: string): boolean {
  return EMAIL.test(text) && text.length <= EMAIL_MAX_LENGTH;
}

/** Returns it in lower case. */
export function requireEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (!isEmail(email)) throw invalid(`"${text}" is not an e-mail address`);
  return email;
}

export function requirePersonName(text: string): string {
  const name = text.trim();
  if (/\p{Cc}/u.test(name) || !name.isWellFormed() || [...name].length > PERSON_NAME_MAX_LENGTH) {
    throw invalid(`a person's name must be one line of up to ${PERSON_NAME_MAX_LENGTH} characters`);
  }
  return name;
}

const PSEUDONYM = /^(account:)?person-[0-9a-f]{16}$/;

/** Random, so that neither the address nor the id of the account leads to it. */
export function newPseudonym(): string {
  return `person-${randomBytes(8).toString("hex")}`;
}

/** Whether this is a person who was erased, or the name of one in the audit log. */
export function isPseudonym(text: string): boolean {
  return PSEUDONYM.test(text);
}
