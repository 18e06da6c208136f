import { createPrivateKey, randomUUID } from "node:crypto";
import { link, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";
import { createDirectory } from "../../platform/primitives/create-directory.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import { PrivateKey } from "./signing-key.ts";
import type { PrivateKeys } from "./store.ts";

const EXTENSION = ".pem";
const KEY_FILE_MAX_BYTES = 16_384;
const OTHERS = 0o007;
const GROUP = 0o070;

/** Private keys as PKCS#8 files in a directory. Files are found by their content, so they can have any name. */
export function keyFiles(directory: string): PrivateKeys {
  return {
    async read(keyId) {
      const { keys, problems } = await readAll(directory);
      const key = keys.find((candidate) => candidate.keyId === keyId);
      if (key) return key;
      const found = problems.length > 0 ? problems.join("; ") : `${directory} does not contain it`;
      throw invalid(
        `the signing key ${keyId} cannot be read: ${found}. Copy its file there, or set DBDEPOT_SIGNING_KEYS_DIR. Nothing was changed`,
      );
    },
    async list() {
      const { keys, problems } = await readAll(directory);
      if (problems.length > 0) throw invalid(problems.join("; "));
      return keys;
    },
    write: (key) => write(directory, key),
  };
}

async function readAll(directory: string): Promise<{ keys: PrivateKey[]; problems: string[] }> {
  const keys: PrivateKey[] = [];
  const problems: string[] = [];
  for (const name of await namesIn(directory)) {
    try {
      keys.push(await readKey(join(directory, name)));
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return { keys, problems };
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(EXTENSION) && !name.startsWith(".")).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw invalid(
      `cannot read the directory ${directory} (${code}): check DBDEPOT_SIGNING_KEYS_DIR and its permissions`,
    );
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

/** Kubernetes makes secrets readable by a group, but owned by root, so that the service can read them. */
async function readPrivately(path: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { mode, uid, size } = await file.stat();
    const isGroupAllowed = uid === 0 && process.getuid?.() !== 0;
    if (mode & OTHERS || (mode & GROUP && !isGroupAllowed)) {
      throw new Error(`${path} can be read by others: run chmod 600 on it`);
    }
    if (size > KEY_FILE_MAX_BYTES) throw new Error(`${path} is too large for a key`);
    return await file.readFile("utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(code === undefined ? message : `cannot read ${path} (${code})`);
  }
}

/** Written under another name first, so that no process reads half a key. */
async function write(directory: string, key: PrivateKey): Promise<void> {
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
    throw invalid(
      `cannot write the signing key ${path} (${code}): check the directory, or set DBDEPOT_SIGNING_KEYS_DIR`,
    );
  } finally {
    await rm(partial, { force: true });
  }
}
