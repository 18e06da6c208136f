import { randomBytes } from "node:crypto";
import { ADDRESS_FIELDS } from "../audit/entry.ts";

/** Everything by which stored data refers to a person. The account may be gone. */
export interface Person {
  /** In lower case. */
  email: string;
  /** The account, and earlier ones with the same address. */
  accountIds: readonly string[];
  names: readonly string[];
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

/** Fields that are about the person only in entries about their account: names of passkeys, and identities at a provider. */
const ACCOUNT_FIELDS = ["name", "issuer", "subject"];

/** Matches the text itself in a regular expression. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Replaces a person by a pseudonym in texts and in states of the audit log. */
export class Eraser {
  readonly #person: Person;
  readonly #pseudonym: string;
  readonly #pattern: RegExp;

  constructor(person: Person, pseudonym: string) {
    this.#person = person;
    this.#pseudonym = pseudonym;
    // A first name alone may be an ordinary word, so only full names are replaced in texts.
    const names = person.names.filter((name) => /\S\s+\S/.test(name)).map(escaped);
    const email = `(?<![\\w.+-])${escaped(person.email)}(?![\\w-]|\\.\\w)`;
    const words = names.map((name) => `(?<![\\p{L}\\p{N}])${name}(?![\\p{L}\\p{N}])`);
    this.#pattern = new RegExp([email, ...person.accountIds.map(escaped), ...words].join("|"), "giu");
  }

  text(text: string): string {
    return text.replaceAll(this.#pattern, this.#pseudonym);
  }

  /** `about` says whether the state is from an entry by the person or about their account. */
  state(value: unknown, about: { isActor?: boolean; isSubject?: boolean } = {}): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.state(item, about));
    if (typeof value !== "object" || value === null) return value;
    const fields = value as Record<string, unknown>;
    const isPerson = this.#isPerson(fields);
    const rewritten = Object.entries(fields).map(([name, field]) => {
      if (typeof field !== "string") return [name, this.state(field, about)];
      const isAddress = (ADDRESS_FIELDS as readonly string[]).includes(name);
      if (isAddress && (about.isActor || about.isSubject)) return [name, null];
      if (about.isSubject && ACCOUNT_FIELDS.includes(name)) return [name, this.#pseudonym];
      if (isPerson && name === "name") return [name, this.#pseudonym];
      // The message of an access request is the person's own text.
      if (name === "message" && this.#isPerson(fields.person)) return [name, ""];
      return [name, this.text(field)];
    });
    return Object.fromEntries(rewritten);
  }

  #isPerson(value: unknown): boolean {
    const { id, email } = (value ?? {}) as { id?: unknown; email?: unknown };
    const { accountIds, email: own } = this.#person;
    return (
      (typeof id === "string" && accountIds.includes(id)) || (typeof email === "string" && email.toLowerCase() === own)
    );
  }
}
