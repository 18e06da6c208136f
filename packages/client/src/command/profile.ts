import { writeFile } from "node:fs/promises";
import { SHARING_PATH } from "../api/tables.ts";

/** Reserves the file before a key is created, because a secret that cannot be written would be lost. Never replaces a file. */
export async function createProfileFile(path: string): Promise<void> {
  await writeFile(path, "", { flag: "wx", mode: 0o600 });
}

/** Writes a profile file of Delta Sharing, with which other programs find the service and use the key. */
export async function writeProfile(
  path: string,
  { url, key, expires }: { url: string; key: string; expires: string | null },
): Promise<void> {
  const profile = {
    shareCredentialsVersion: 1,
    endpoint: url.replace(/\/+$/, "") + SHARING_PATH,
    bearerToken: key,
    ...(expires !== null && { expirationTime: expires }),
  };
  await writeFile(path, `${JSON.stringify(profile, null, 2)}\n`);
}
