import { DbdepotError } from "../../errors.ts";
import type { Login } from "../../login/login.ts";
import type { StoredLogins } from "./stored-logins.ts";

/** Shorter than the minute for which an old key keeps working after another process has renewed it. */
const REREAD_MS = 30_000;

/** The key of `dbdepot login`, as a function for the client: renewed in time, also while `sync --watch` runs for months. */
export function loginKey(
  logins: StoredLogins,
  url: string,
  refresh: (login: Login) => Promise<Login>,
): () => Promise<string> {
  let read: { login: Promise<Login | undefined>; atMs: number } | undefined;
  return async () => {
    // Concurrent requests share one look at the keyring.
    if (!read || Date.now() - read.atMs > REREAD_MS) {
      read = { login: logins.fresh(url, refresh), atMs: Date.now() };
    }
    try {
      const login = await read.login;
      if (login) return login.key;
    } catch (error) {
      read = undefined;
      if (!(error instanceof DbdepotError) || error.kind !== "unauthorized") throw error;
    }
    throw new DbdepotError("unauthorized", `your sign-in to ${url} has ended`);
  };
}
