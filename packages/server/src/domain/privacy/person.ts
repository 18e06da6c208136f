import { ADDRESS_FIELDS } from "../audit/entry.ts";

/** Everything by which stored data refers to a person. The account may be gone. */
export interface Person {
  /** The e-mail address in lower case. */
  email: string;
  /** The account, and earlier ones with the same address. */
  accountIds: readonly string[];
  names: readonly string[];
  /** The organizations that the person belongs or belonged to, or looked at as an operator. */
  organizationIds: readonly string[];
  /** The addresses from which they signed in. */
  addresses: readonly string[];
  /** The keys that they created, including those of their programs. */
  keyIds: readonly string[];
  /** The keys of programs that they signed in. */
  programKeyIds: readonly string[];
  /** The names and addresses of the machines that their programs run on. */
  machines: readonly string[];
}

/** Fields that are about the person only in entries about their account: names of passkeys, and identities at a provider. */
const ACCOUNT_FIELDS = ["name", "issuer", "subject"];

/** A first name alone may be an ordinary word, so only full names are replaced in texts. */
export function isFullName(name: string): boolean {
  return /\S\s+\S/.test(name);
}

/** Matches the text itself in a regular expression. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Replaces a person by a pseudonym in texts and in states of the audit log. */
export class Eraser {
  readonly #person: Person;
  readonly #pseudonym: string;
  readonly #pattern: RegExp;
  readonly #machines: RegExp | undefined;

  constructor(person: Person, pseudonym: string) {
    this.#person = person;
    this.#pseudonym = pseudonym;
    const names = person.names.filter(isFullName).map(escaped);
    const email = `(?<![\\w.+-])${escaped(person.email)}(?![\\w-]|\\.\\w)`;
    const words = names.map((name) => `(?<![\\p{L}\\p{N}])${name}(?![\\p{L}\\p{N}])`);
    this.#pattern = new RegExp([email, ...person.accountIds.map(escaped), ...words].join("|"), "giu");
    // The longest first, because one may contain another.
    const machines = person.machines.toSorted((one, other) => other.length - one.length).map(escaped);
    if (machines.length > 0) {
      this.#machines = new RegExp(
        `(?<![\\p{L}\\p{N}.-])(?:${machines.join("|")})(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`,
        "giu",
      );
    }
  }

  text(text: string): string {
    return text.replaceAll(this.#pattern, this.#pseudonym);
  }

  /** The machines of a person are replaced only in the names of their keys, because elsewhere they may be ordinary words. */
  keyName(id: string, name: string): string {
    const { keyIds } = this.#person;
    if (!this.#machines || !keyIds.includes(id)) return this.text(name);
    return this.text(name).replaceAll(this.#machines, this.#pseudonym);
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
      if (name === "name" && typeof fields.id === "string") return [name, this.keyName(fields.id, field)];
      if (name === "body") return [name, this.#body(field)];
      // The message of an access request is the person's own text.
      if (name === "message" && this.#isPerson(fields.person)) return [name, ""];
      return [name, this.text(field)];
    });
    return Object.fromEntries(rewritten);
  }

  /** The body of a request or response, of which only the beginning may have been kept. */
  #body(text: string): string {
    try {
      const rewritten = JSON.stringify(this.state(JSON.parse(text)));
      return JSON.stringify(JSON.parse(text)) === rewritten ? text : rewritten;
    } catch {
      const isAboutKey = this.#person.keyIds.some((id) => text.includes(id));
      const erased = this.text(text);
      return isAboutKey && this.#machines ? erased.replaceAll(this.#machines, this.#pseudonym) : erased;
    }
  }

  #isPerson(value: unknown): boolean {
    const { id, email } = (value ?? {}) as { id?: unknown; email?: unknown };
    const { accountIds, email: own } = this.#person;
    return (
      (typeof id === "string" && accountIds.includes(id)) || (typeof email === "string" && email.toLowerCase() === own)
    );
  }
}
