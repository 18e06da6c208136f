import { hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { parseDatabaseId } from "@dbdepot/contract/shared/database-id";
import { type FileKind, fileName } from "@dbdepot/contract/shared/formats";
import { SignedFreshness } from "@dbdepot/contract/v2/freshness";
import type { FreshnessText } from "@dbdepot/contract/v2/freshness-proof";
import { Manifest, SignedManifest, SigningKeys } from "@dbdepot/contract/v2/manifests";
import { parseSignature, type SignaturePublicKey, verifyDetached } from "@dbdepot/formats/minisign";
import Type, { type Static, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { invalid } from "../../platform/primitives/faults.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import type { ChainEntry } from "./manifest.ts";
import type { SigningKey } from "./signing-key.ts";

/** The parts of the catalogue written by `dbdepot mirror` that an import needs. */
const Index = Type.Object({
  databases: Type.Array(
    Type.Object({
      base: Type.String(),
      name: Type.String(),
      versions: Type.Array(
        Type.Object({ id: Type.String(), summary: Type.String(), formats: Type.Array(Type.String()) }),
      ),
    }),
  ),
});
export type MirrorIndex = Static<typeof Index>;

const SignedText = Type.Object({
  ...Type.Pick(SignedManifest, ["manifest", "signature"]).properties,
  /** The newest manifest has one if the vendor issues them. */
  freshness: Type.Optional(Type.Pick(SignedFreshness, ["statement", "signature", "endorsement"])),
});
const JSON_MAX_BYTES = 10_000_000;

/** One version of a mirror, after its newest manifest and its chain were verified. */
export interface MirroredVersion {
  manifest: Manifest;
  /** Oldest first; the last one is about the current build. */
  chain: ChainEntry[];
  /** The vendor's statement that the manifest is the newest one. It is not verified yet. */
  freshness: FreshnessText | undefined;
}

export function readMirrorIndex(directory: string): Promise<MirrorIndex> {
  return readJson(Index, join(directory, "dbdepot-mirror.json"));
}

export async function readMirrorKeys(directory: string): Promise<SigningKey[]> {
  const { keys } = await readJson(SigningKeys, join(directory, "dbdepot-keys.json"));
  return keys.map((key) => ({
    keyId: key.key_id,
    publicKey: key.public_key,
    created: new Date(key.created),
    expires: key.expires === null ? null : new Date(key.expires),
    endorsement: key.endorsement,
    isImported: true,
  }));
}

/** Fails unless a trusted key signed the newest manifest, and it contains the digests of all earlier ones. */
export async function readMirroredVersion(
  directory: string,
  id: string,
  trusted: readonly SignaturePublicKey[],
): Promise<MirroredVersion> {
  if (!parseDatabaseId(id)) throw invalid(`the mirror has an invalid version id "${id}"`);
  const newest = await readJson(SignedText, join(directory, id, "signed.json"));
  const signature = parseSignature(newest.signature);
  const isTrusted = signature && trusted.some((key) => verifyDetached(Buffer.from(newest.manifest), signature, key));
  if (!isTrusted) {
    throw invalid(
      `${id} is not signed by a trusted key, but by ${signature?.keyId ?? "an unknown one"}: pass its public key with --trust if the vendor has announced it`,
    );
  }
  const manifest = parseManifest(newest.manifest, id);
  const chain: ChainEntry[] = [entryOf(newest, manifest)];
  let { previous } = manifest;
  for (let sequence = manifest.sequence - 1; sequence > 0; sequence -= 1) {
    const signed = await readJson(SignedText, join(directory, id, "chain", `${sequence}.json`));
    if (hash("sha256", signed.manifest) !== previous) throw invalid(`manifest ${sequence} of ${id} was changed`);
    const earlier = parseManifest(signed.manifest, id);
    chain.unshift(entryOf(signed, earlier));
    previous = earlier.previous;
  }
  return { manifest, chain, freshness: newest.freshness };
}

/** The path of a file of the build, relative to the mirror. */
export function mirroredFile(id: string, buildId: string, kind: FileKind | "metadata"): string {
  return join(id, buildId, kind === "metadata" ? "metadata.json" : fileName(id, kind));
}

function entryOf({ manifest: body, signature }: Static<typeof SignedText>, manifest: Manifest): ChainEntry {
  const keyId = parseSignature(signature)?.keyId;
  if (keyId === undefined)
    throw invalid(`the signature of manifest ${manifest.sequence} of ${manifest.id} cannot be read`);
  const { id: versionId, sequence, build_id: buildId, created } = manifest;
  return { versionId, sequence, buildId, body, signature, keyId, created: new Date(created) };
}

function parseManifest(text: string, id: string): Manifest {
  const manifest = parse(Manifest, text);
  if (manifest?.id !== id || (manifest.build_id !== null && !isUuid(manifest.build_id))) {
    throw invalid(`the mirror has an invalid manifest of ${id}`);
  }
  return manifest;
}

async function readJson<S extends TSchema>(schema: S, path: string): Promise<Static<S>> {
  // One byte more than allowed is enough to notice a file that is too large.
  const reading = Array.fromAsync<Buffer>(createReadStream(path, { end: JSON_MAX_BYTES }));
  const chunks = await reading.catch((error) => {
    throw invalid(`cannot read ${path} (${error.code}): is this a directory that "dbdepot mirror" made?`);
  });
  const bytes = Buffer.concat(chunks);
  const value = bytes.length > JSON_MAX_BYTES ? undefined : parse(schema, bytes.toString());
  if (value === undefined) throw invalid(`${path} is damaged: run "dbdepot mirror" again`);
  return value;
}

function parse<S extends TSchema>(schema: S, text: string): Static<S> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Compile(schema).Check(value) ? (value as Static<S>) : undefined;
  } catch {
    return undefined;
  }
}
