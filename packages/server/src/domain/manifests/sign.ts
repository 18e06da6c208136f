import { conflict } from "../../platform/primitives/faults.ts";
import type { Build } from "../builds/build.ts";
import type { Operation, Tables } from "../store.ts";
import { type ChainEntry, nextManifest } from "./manifest.ts";
import type { PrivateKey, SigningKey } from "./signing-key.ts";

/** The key that signs from now on. Undefined if this service does not sign. */
export function activeKey(keys: readonly SigningKey[]): SigningKey | undefined {
  return keys.findLast((key) => !key.isImported && key.expires === null);
}

/**
 * Adds a manifest about the version's new current build, if this service signs. Call it in the transaction of the
 * change. Undefined means that the version has no build any more.
 */
export async function signCurrent(
  tables: Tables,
  operation: Operation,
  versionId: string,
  build: Build | undefined,
): Promise<void> {
  const keys = await tables.signingKeys.list();
  const previous = await tables.manifests.latest(versionId);
  if (previous && isImported(previous, keys)) {
    throw conflict(
      `${versionId} is imported from a mirror, whose vendor signs its builds: import it again to update it`,
    );
  }
  const active = activeKey(keys);
  if (!active) return;
  const privateKeys = operation.rules?.privateKeys;
  if (!privateKeys) throw conflict(`this process has no access to the signing key ${active.keyId}`);
  await append(tables, operation, await privateKeys.read(active.keyId), { versionId, build, previous });
}

/** Signs the current builds of all versions with this key. Returns the ids of the versions. */
export async function signAll(tables: Tables, operation: Operation, key: PrivateKey): Promise<string[]> {
  const keys = await tables.signingKeys.list();
  const signed: string[] = [];
  for (const { id: versionId, currentBuildId } of await tables.versions.list()) {
    const previous = await tables.manifests.latest(versionId);
    const build = currentBuildId === null ? undefined : await tables.builds.byId(currentBuildId);
    if (!(build || previous) || (previous && isImported(previous, keys))) continue;
    await append(tables, operation, key, { versionId, build, previous });
    signed.push(versionId);
  }
  return signed;
}

function isImported({ keyId }: ChainEntry, keys: readonly SigningKey[]): boolean {
  return keys.some((key) => key.keyId === keyId && key.isImported);
}

async function append(
  tables: Tables,
  { now }: Operation,
  key: PrivateKey,
  { versionId, build, previous }: { versionId: string; build: Build | undefined; previous: ChainEntry | undefined },
): Promise<void> {
  const entry = nextManifest(versionId, build, previous, now);
  const signature = key.sign(entry.body, `dbdepot manifest ${versionId} ${entry.sequence}`);
  await tables.manifests.append({ ...entry, signature, keyId: key.keyId });
}
