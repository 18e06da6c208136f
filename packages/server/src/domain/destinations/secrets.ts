import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";
import { conflict, invalid } from "../../platform/primitives/faults.ts";
import { readPrivately } from "../../platform/primitives/private-file.ts";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_LENGTH = 12;

interface Key {
  id: string;
  bytes: Buffer;
}

/**
 * Encrypts what the service has to store of other people's secrets, with the first key of a file that has one per line. The others
 * decrypt what was encrypted before a rotation. `owner` is authenticated with the text, so a value that is copied to another row
 * is useless.
 */
export class Secrets {
  readonly #path: string | undefined;

  /** Undefined: nothing can be encrypted. */
  constructor(path: string | undefined) {
    this.#path = path;
  }

  get isOn(): boolean {
    return this.#path !== undefined;
  }

  async seal(text: string, owner: string): Promise<string> {
    const [key] = await this.#keys();
    return seal(key, text, owner);
  }

  async open(sealed: string, owner: string): Promise<string> {
    const keys = await this.#keys();
    const [id = "", body = ""] = sealed.split(".");
    const key = keys.find((candidate) => candidate.id === id);
    if (!key) {
      throw invalid(
        `the secret was encrypted with the key ${id}, which ${this.#path} does not contain: restore that line of the file`,
      );
    }
    const bytes = Buffer.from(body, "base64url");
    const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString();
    } catch {
      throw invalid("the secret was changed or belongs to something else, and cannot be decrypted");
    }
  }

  /** The same secret, encrypted with the first key. Undefined if it already is. */
  async reseal(sealed: string, owner: string): Promise<string | undefined> {
    const [key] = await this.#keys();
    return sealed.startsWith(`${key.id}.`) ? undefined : seal(key, await this.open(sealed, owner), owner);
  }

  /** The ids of the keys in the file, the one that encrypts first. */
  async keyIds(): Promise<string[]> {
    return (await this.#keys()).map(({ id }) => id);
  }

  /** Writes a new key in front of the others. Returns its id. */
  async addKey(): Promise<string> {
    const path = this.#requirePath();
    const before = await readPrivately(path).catch((error: Error) => {
      if (error.message.includes("(ENOENT)")) return "";
      throw invalid(error.message);
    });
    const bytes = randomBytes(KEY_BYTES);
    const partial = `${path}.new`;
    try {
      await using file = await open(partial, "wx", 0o600);
      await file.writeFile(`${bytes.toString("base64")}\n${before}`);
      await file.sync();
      await rename(partial, path);
      await syncDirectory(dirname(path));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EEXIST") await rm(partial, { force: true });
      throw conflict(`cannot write ${path} (${code}): check its directory, and that there is no ${partial}`);
    }
    return idOf(bytes);
  }

  async #keys(): Promise<[Key, ...Key[]]> {
    const path = this.#requirePath();
    const text = await readPrivately(path).catch((error: Error) => {
      throw invalid(`${error.message}. "dbdepot-server secrets add-key" creates the file of DBDEPOT_SECRETS_KEY_FILE`);
    });
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const keys = lines.map((line, index) => {
      const bytes = Buffer.from(line.trim(), "base64");
      if (bytes.length !== KEY_BYTES) throw invalid(`line ${index + 1} of ${path} is not a key of 32 bytes in base64`);
      return { id: idOf(bytes), bytes };
    });
    const [first, ...others] = keys;
    if (!first) throw invalid(`${path} contains no key: "dbdepot-server secrets add-key" adds one`);
    return [first, ...others];
  }

  #requirePath(): string {
    if (this.#path === undefined) throw conflict("DBDEPOT_SECRETS_KEY_FILE is not set, so no secret can be stored");
    return this.#path;
  }
}

function seal(key: Key, text: string, owner: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key.bytes, nonce);
  cipher.setAAD(Buffer.from(owner));
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()]);
  return `${key.id}.${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64url")}`;
}

/** Identifies a key without revealing it. */
function idOf(bytes: Buffer): string {
  return hash("sha256", bytes).slice(0, KEY_ID_LENGTH);
}
