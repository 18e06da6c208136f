import { readFile } from "node:fs/promises";
import { isRecord } from "../api/incoming.ts";
import { writeAtomically } from "../atomic-file.ts";
import { diskError } from "../download/disk-error.ts";
import { DbdepotError } from "../errors.ts";
import type { Trust, TrustStore } from "./trust.ts";

interface TrustDocument extends Trust {
  version: 1;
}

/** Stores trusted keys and accepted manifests in a file that several processes may update. */
export function trustFile(path: string, { isReadOnly }: { isReadOnly: boolean }): TrustStore {
  let last: Promise<unknown> = Promise.resolve();
  // In a dry run, this is what would have been written.
  let planned: Trust | undefined;
  const read = async () => planned ?? (await readTrust(path));
  return {
    read,
    async update(apply) {
      const update = last.then(async () => {
        const trust = await read();
        apply(trust);
        if (isReadOnly) planned = trust;
        else await writeTrust(path, trust);
      });
      last = update.catch(() => {});
      await update;
    },
  };
}

async function readTrust(path: string): Promise<Trust> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { keys: [], databases: {} };
    throw diskError(path, error);
  }
  const trust = parseTrust(text);
  // Fail, because a damaged file must not make the client trust the next key it sees.
  if (!trust) {
    throw new DbdepotError(
      "untrusted",
      `${path} is damaged: restore it, or delete it and pass the vendor's public key with --trust`,
    );
  }
  return trust;
}

function parseTrust(text: string): Trust | undefined {
  try {
    const document = JSON.parse(text) as TrustDocument;
    const { version, keys, databases, revoked_freshness_keys: revoked } = document;
    if (version !== 1 || !Array.isArray(keys) || !isRecord(databases)) return undefined;
    return { keys, databases, ...(Array.isArray(revoked) && { revoked_freshness_keys: revoked }) };
  } catch {
    return undefined;
  }
}

async function writeTrust(path: string, trust: Trust): Promise<void> {
  const document: TrustDocument = { version: 1, ...trust };
  try {
    await writeAtomically(path, `${JSON.stringify(document, null, 2)}\n`);
  } catch (error) {
    throw diskError(path, error);
  }
}
