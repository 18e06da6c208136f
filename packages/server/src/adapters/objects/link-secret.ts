import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secret that signs links to the disk store, from `<dataDir>/link-secret`. Created on first use; processes that start
 * at the same time all get the same one.
 */
export async function linkSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, "link-secret");
  const secret = (await readIfExists(path)) ?? (await create(dataDir, path));
  if (!SECRET.test(secret)) {
    throw new Error(`${path} is damaged. Delete it to create a new one; existing links then stop working.`);
  }
  return secret;
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Written under another name first, so that no process reads half a secret. Unlike `rename`, `link` never overwrites. */
async function create(dataDir: string, path: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const partial = join(dataDir, `.link-secret-${randomUUID()}`);
  try {
    await using file = await open(partial, "wx", 0o600);
    await file.writeFile(`${randomBytes(32).toString("base64url")}\n`);
    await file.sync();
    await link(partial, path);
    await syncDirectory(dataDir);
  } catch (error) {
    // Another process was faster. We use its secret.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(partial, { force: true });
  }
  return (await readFile(path, "utf8")).trim();
}
