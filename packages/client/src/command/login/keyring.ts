import { createRequire } from "node:module";

/** The operating system's store for secrets. Every function throws if it cannot be used. */
export interface Keyring {
  get(account: string): string | null;
  set(account: string, secret: string): void;
  delete(account: string): void;
}

const SERVICE = "dbdepot";

interface Entry {
  getPassword(): string | null;
  setPassword(secret: string): void;
  deletePassword(): unknown;
}

type KeyringModule = {
  Entry: new (service: string, account: string, options: { linux: { store: string } }) => Entry;
};

/**
 * The system's keyring, or undefined if its module is not installed, as on systems that it does not support. On Linux
 * only the Secret Service counts: the kernel's keyring forgets its secrets when the machine restarts.
 */
export function systemKeyring(): Keyring | undefined {
  try {
    const { Entry } = createRequire(import.meta.url)("@napi-rs/keyring") as KeyringModule;
    const entry = (account: string) => new Entry(SERVICE, account, { linux: { store: "secret-service" } });
    return {
      get: (account) => entry(account).getPassword(),
      set: (account, secret) => entry(account).setPassword(secret),
      delete: (account) => void entry(account).deletePassword(),
    };
  } catch {
    return undefined;
  }
}
