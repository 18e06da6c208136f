import { readFileSync, statSync } from "node:fs";
import { mkdir, open, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pause } from "../../api/retry.ts";
import { writeAtomically } from "../../atomic-file.ts";
import { DbdepotError } from "../../errors.ts";
import type { Login } from "../../login/login.ts";
import type { Keyring } from "./keyring.ts";

/** The file names every service that this user is signed in to. Its secrets are in the keyring, if there is one. */
interface LoginsFile {
  /** The service of the last `dbdepot login`, for commands that are given no address. */
  default: string | null;
  logins: Record<string, Login | typeof IN_KEYRING>;
}

const IN_KEYRING = "keyring";

/** A process that renews a key takes a moment. An older lock belongs to a process that was killed. */
const LOCK_STALE_MS = 60_000;
const LOCK_WAIT_MS = 10_000;
const LOCK_RETRY_MS = 200;

export type LoginPlace = "keyring" | "file";

/** The sign-ins of this user. A sign-in is found only by the address of the service that issued it. */
export class StoredLogins {
  readonly path: string;
  readonly #keyring: Keyring | undefined;

  constructor(env: Record<string, string | undefined>, keyring: Keyring | undefined) {
    const configHome = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config");
    this.path = join(configHome, "dbdepot", "logins.json");
    this.#keyring = keyring;
  }

  get defaultUrl(): string | undefined {
    return this.#read().default ?? undefined;
  }

  find(url: string): (Login & { place: LoginPlace }) | undefined {
    const found = Object.hasOwn(this.#read().logins, url) ? this.#read().logins[url] : undefined;
    if (found === undefined) return undefined;
    if (found !== IN_KEYRING) return { ...found, place: "file" };
    const secret = this.#fromKeyring(url);
    return secret === undefined ? undefined : { ...secret, place: "keyring" };
  }

  /** Stores a sign-in, in the keyring if it works. */
  async save(login: Login, { isDefault = false } = {}): Promise<LoginPlace> {
    const { baseUrl } = login;
    const place = this.#toKeyring(login) ? "keyring" : "file";
    const file = this.#read();
    await this.#write({
      default: isDefault ? baseUrl : file.default,
      logins: { ...file.logins, [baseUrl]: place === "keyring" ? IN_KEYRING : login },
    });
    return place;
  }

  async remove(url: string): Promise<void> {
    const file = this.#read();
    const { [url]: removed, ...logins } = file.logins;
    await this.#write({ default: file.default === url ? (Object.keys(logins)[0] ?? null) : file.default, logins });
    if (removed !== IN_KEYRING) return;
    try {
      this.#keyring?.delete(url);
    } catch {
      // The key has been revoked, so its copy in the keyring is useless.
    }
  }

  /**
   * Returns the sign-in, renewed if half of its time is over. One process renews it, because each refresh token works
   * once; others use the old key meanwhile, which stays valid for a minute. A service that cannot be reached is no
   * problem as long as the key is valid.
   */
  async fresh(url: string, refresh: (login: Login) => Promise<Login>, now = Date.now): Promise<Login | undefined> {
    const found = this.find(url);
    if (!found || !isDue(found, now())) return found;
    const unlock = await this.#lock();
    // Another process has held the lock all the time.
    if (!unlock) return this.find(url);
    try {
      const current = this.find(url);
      if (!current || !isDue(current, now())) return current;
      const { place: _, ...login } = current;
      const renewed = await refresh(login).catch((error) => {
        const mayWork = error instanceof DbdepotError && error.kind !== "unauthorized";
        if (mayWork && Date.parse(login.expires) > now()) return login;
        throw error;
      });
      if (renewed !== login) await this.save(renewed);
      return renewed;
    } finally {
      await unlock();
    }
  }

  async #lock(): Promise<(() => Promise<void>) | undefined> {
    const path = `${this.path}.lock`;
    for (const start = Date.now(); Date.now() - start < LOCK_WAIT_MS; ) {
      try {
        await (await open(path, "wx", 0o600)).close();
        return () => rm(path, { force: true });
      } catch (error) {
        // A read-only home directory cannot hold the renewed key either.
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") return undefined;
      }
      const age = await stat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > LOCK_STALE_MS) await rm(path, { force: true });
      else await pause(LOCK_RETRY_MS, undefined);
    }
    return undefined;
  }

  #fromKeyring(url: string): Login | undefined {
    try {
      const text = this.#keyring?.get(url);
      return text ? (JSON.parse(text) as Login) : undefined;
    } catch {
      // The keyring is locked, or this shell has no access to it.
      return undefined;
    }
  }

  #toKeyring(login: Login): boolean {
    try {
      this.#keyring?.set(login.baseUrl, JSON.stringify(login));
      return this.#keyring !== undefined;
    } catch {
      return false;
    }
  }

  /** A damaged file counts as empty: signing in again replaces it. */
  #read(): LoginsFile {
    try {
      const { default: url, logins } = JSON.parse(readFileSync(this.path, "utf8"));
      return { default: typeof url === "string" ? url : null, logins: Object(logins) };
    } catch {
      return { default: null, logins: {} };
    }
  }

  async #write(file: LoginsFile): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await writeAtomically(this.path, `${JSON.stringify(file, null, 2)}\n`, 0o600);
  }

  /** Whether other users can read the file. Windows has no such permissions. */
  get isExposed(): boolean {
    try {
      return process.platform !== "win32" && (statSync(this.path).mode & 0o077) !== 0;
    } catch {
      return false;
    }
  }
}

/** Half of its time is over, so that a key that is used at all never ends. */
export function isDue({ issued, expires }: Login, now: number): boolean {
  const start = Date.parse(issued);
  return now >= start + (Date.parse(expires) - start) / 2;
}
