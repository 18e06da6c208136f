import { isDeepStrictEqual } from "node:util";
import type { Manifest } from "@dbdepot/contract/v2/manifests";
import { conflict } from "../../platform/primitives/faults.ts";
import type { Operation, Tables } from "../store.ts";
import { freshnessIssuer } from "./freshness-issuer.ts";
import { type ChainEntry, nextManifest, type SignedBuild, type SignedTables } from "./manifest.ts";
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
  build: SignedBuild | undefined,
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
  const key = await privateKeys.read(active.keyId);
  const issueFreshness = await freshnessIssuer(tables, operation);
  await issueFreshness(await append(tables, operation, key, { versionId, build, previous }));
}

/**
 * Adds a manifest with the digests of the Parquet files, which are written after the build was published. Does nothing if the service
 * does not sign, if this process cannot read the key, or if the newest manifest has the digests already.
 */
export async function signTables(
  tables: Tables,
  operation: Operation,
  build: SignedBuild & { versionId: string },
  signed: SignedTables | undefined,
): Promise<void> {
  const { versionId } = build;
  const keys = await tables.signingKeys.list();
  const active = activeKey(keys);
  const previous = await tables.manifests.latest(versionId);
  if (!signed || !active || !previous || isImported(previous, keys) || previous.buildId !== build.id) return;
  if (isDeepStrictEqual((JSON.parse(previous.body) as Manifest).tables, signed)) return;
  const key = await operation.rules?.privateKeys?.read(active.keyId).catch(() => undefined);
  if (!key) return;
  const issueFreshness = await freshnessIssuer(tables, operation);
  await issueFreshness(await append(tables, operation, key, { versionId, build, previous, signed }));
}

/** Signs the current builds of all versions with this key. Returns the ids of the versions. */
export async function signAll(tables: Tables, operation: Operation, key: PrivateKey): Promise<string[]> {
  const keys = await tables.signingKeys.list();
  const issueFreshness = await freshnessIssuer(tables, operation);
  const signed: string[] = [];
  for (const { id: versionId, currentBuildId } of await tables.versions.list()) {
    const previous = await tables.manifests.latest(versionId);
    const build = currentBuildId === null ? undefined : await tables.builds.byId(currentBuildId);
    if (!(build || previous) || (previous && isImported(previous, keys))) continue;
    await issueFreshness(await append(tables, operation, key, { versionId, build, previous }));
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
  {
    versionId,
    build,
    previous,
    signed,
  }: {
    versionId: string;
    build: SignedBuild | undefined;
    previous: ChainEntry | undefined;
    signed?: SignedTables | undefined;
  },
): Promise<ChainEntry> {
  const next = nextManifest(versionId, build, previous, now, signed);
  const signature = key.sign(next.body, `dbdepot manifest ${versionId} ${next.sequence}`);
  const entry = { ...next, signature, keyId: key.keyId };
  await tables.manifests.append(entry);
  return entry;
}
