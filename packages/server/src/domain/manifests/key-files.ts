import { createPrivateKey, randomUUID } from "node:crypto";
import { link, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";
import { createDirectory } from "../../platform/primitives/create-directory.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import { readPrivately } from "../../platform/primitives/private-file.ts";
import { PrivateKey } from "./signing-key.ts";
import type { PrivateKeys } from "./store.ts";

const EXTENSION = ".pem";

type Role = "signing" | "freshness";
const SETTINGS: Record<Role, string> = { signing: "DBDEPOT_SIGNING_KEYS_DIR", freshness: "DBDEPOT_FRESHNESS_KEYS_DIR" };

/** Private keys as PKCS#8 files in a directory. Files are found by their content, so they can have any name. */
export function keyFiles(directory: string, role: Role = "signing"): PrivateKeys {
  return {
    async read(keyId) {
      const { keys, problems } = await readAll(directory, role);
      const key = keys.find((candidate) => candidate.keyId === keyId);
      if (key) return key;
      const found = problems.length > 0 ? problems.join("; ") : `${directory} does not contain it`;
      throw invalid(
        `the ${role} key ${keyId} cannot be read: ${found}. Copy its file there, or set ${SETTINGS[role]}. Nothing was changed`,
      );
    },
    async list() {
      const { keys, problems } = await readAll(directory, role);
      if (problems.length > 0) throw invalid(problems.join("; "));
      return keys;
    },
    write: (key) => write(directory, role, key),
  };
}

async function readAll(directory: string, role: Role): Promise<{ keys: PrivateKey[]; problems: string[] }> {
  const keys: PrivateKey[] = [];
  const problems: string[] = [];
  for (const name of await namesIn(directory, role)) {
    try {
      keys.push(await readKey(join(directory, name)));
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return { keys, problems };
}

async function namesIn(directory: string, role: Role): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(EXTENSION) && !name.startsWith(".")).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw invalid(`cannot read the directory ${directory} (${code}): check ${SETTINGS[role]} and its permissions`);
  }
}

async function readKey(path: string): Promise<PrivateKey> {
  const text = await readPrivately(path);
  try {
    return new PrivateKey(createPrivateKey({ key: text, format: "pem", type: "pkcs8" }));
  } catch {
    // The original error is not shown, because it may quote the file.
    throw new Error(`${path} is not an Ed25519 private key in PKCS#8 PEM format`);
  }
}

/** Written under another name first, so that no process reads half a key. */
async function write(directory: string, role: Role, key: PrivateKey): Promise<void> {
  const path = join(directory, `${key.keyId}${EXTENSION}`);
  const partial = join(directory, `.${randomUUID()}`);
  try {
    await createDirectory(directory, 0o700);
    await using file = await open(partial, "wx", 0o600);
    await file.writeFile(key.reveal());
    await file.sync();
    await link(partial, path);
    await syncDirectory(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalid(`cannot write the ${role} key ${path} (${code}): check the directory, or set ${SETTINGS[role]}`);
  } finally {
    await rm(partial, { force: true });
  }
}
