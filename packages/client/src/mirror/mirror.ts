import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Api } from "../api/api.ts";
import { isBuildId, isDatabaseId } from "../api/incoming.ts";
import { serviceError } from "../api/response-errors.ts";
import type { Database, Manifest } from "../api/wire.gen.ts";
import { writeAtomically } from "../atomic-file.ts";
import { diskError } from "../download/disk-error.ts";
import { download } from "../download/download.ts";
import { DbdepotError } from "../errors.ts";
import { parseManifest } from "../proof/documents.ts";
import { fetchManifest, fetchSigningKeys, type SignedText } from "../proof/source.ts";
import type { ManifestVerifier } from "../proof/verifier.ts";
import * as layout from "./layout.ts";
import type { MirroredDatabase, MirrorOptions } from "./options.ts";
import { copyPatches } from "./patches.ts";
import { type MirroredText, mirroredManifest, readSigned } from "./signed.ts";

/**
 * Copies the current build of a database with its manifests and signatures. Readers see the old build or the new one.
 */
export async function mirrorDatabase(
  api: Api,
  verifier: ManifestVerifier,
  id: string,
  o: MirrorOptions,
): Promise<MirroredDatabase> {
  const { directory, signal } = o;
  if (!isDatabaseId(id)) throw new DbdepotError("server", "the service sent an invalid database id");
  const verified = await verifier.verified(id, { signal });
  if (!verified) throw new DbdepotError("untrusted", `${id} is not signed, so it cannot be mirrored: ask your vendor`);
  const { manifest, signed, fresh } = verified;
  const { build_id: buildId, sequence } = manifest;
  try {
    const before = await mirroredManifest(directory, id);
    await mkdir(join(directory, id, "chain"), { recursive: true });
    const received = buildId === null ? 0 : await copyFiles(api, manifest, { buildId, before: before?.build_id }, o);
    await copyChain(api, { id, sequence, signed }, o);
    if (buildId !== null && o.deltas !== "never") await copyPatches(api, manifest, buildId, o);
    const isChanged = received > 0 || before?.sequence !== sequence;
    // Clients may need the key that signed the manifest as soon as they see it.
    if (isChanged) await mirrorKeys(api, o);
    await replaceManifest(directory, id, { ...signed, ...(fresh && { freshness: fresh.text }) });
    if (buildId === null) {
      await removeOldBuilds(directory, id, []);
      throw new DbdepotError("not_available", `the vendor has withdrawn the last build of ${id}`);
    }
    if (before?.sequence !== sequence) await removeOldBuilds(directory, id, [buildId, before?.build_id]);
    return { id, isChanged, sequence, buildId };
  } catch (error) {
    throw diskError(directory, error);
  }
}

/** The manifest and its statement of freshness are one file for clients, so that they are replaced together. */
async function replaceManifest(directory: string, id: string, signed: MirroredText): Promise<void> {
  const { manifest, signature, freshness } = signed;
  const text = `${JSON.stringify(signed)}\n`;
  if ((await readFile(join(directory, layout.signedPath(id)), "utf8").catch(() => "")) === text) return;
  await writeSigned(join(directory, layout.manifestPath(id)), manifest, signature);
  if (freshness) {
    const { statement, signature, endorsement } = freshness;
    await writeSigned(join(directory, layout.freshnessPath(id)), statement, signature);
    await writeSigned(join(directory, layout.freshnessKeyPath(id)), endorsement.statement, endorsement.signature);
  }
  await writeAtomically(join(directory, layout.signedPath(id)), text);
}

async function writeSigned(path: string, text: string, signature: string): Promise<void> {
  await writeAtomically(path, text);
  await writeAtomically(`${path}.minisig`, signature);
}

/** Copies the public keys. Call it after a manifest was fetched, so that the key that signed it is listed. */
export async function mirrorKeys(api: Api, { directory, signal }: MirrorOptions): Promise<void> {
  const keys = await fetchSigningKeys(api, signal);
  await writeAtomically(join(directory, layout.KEYS), `${JSON.stringify({ format: 1, keys }, null, 2)}\n`);
}

/** Writes the catalogue of the mirror: the versions that it has. */
export async function mirrorIndex(catalogue: readonly Database[], { directory }: MirrorOptions): Promise<void> {
  const databases: Database[] = [];
  for (const family of catalogue) {
    const versions = [];
    for (const version of family.versions) {
      if (isDatabaseId(version.id) && (await mirroredManifest(directory, version.id))) versions.push(version);
    }
    if (versions.length > 0) databases.push({ ...family, versions });
  }
  await writeAtomically(join(directory, layout.INDEX), `${JSON.stringify({ databases }, null, 2)}\n`);
}

/**
 * Returns how many files were copied. A file that exists was verified before it got its name. `before` is the build that
 * the mirror has, from whose files there may be patches.
 */
async function copyFiles(
  api: Api,
  manifest: Manifest,
  { buildId, before }: { buildId: string; before: string | null | undefined },
  o: MirrorOptions,
): Promise<number> {
  const { id, files, metadata } = manifest;
  const { directory, delivery, deltas, signal, onProgress } = o;
  await mkdir(join(directory, layout.buildPath(id, buildId)), { recursive: true });
  let count = 0;
  for (const [kind, file] of Object.entries(files) as [layout.FileKind, NonNullable<Manifest["files"]["mmdb"]>][]) {
    const path = layout.filePath(id, buildId, kind);
    if ((await sizeOf(join(directory, path))) === file.size_bytes) continue;
    const { format, isSample: sample } = layout.partsOf(kind);
    await download(api, id, format, {
      to: join(directory, path),
      build: buildId,
      sha256: file.checksums.sha256,
      sizeBytes: file.size_bytes,
      sample,
      delivery,
      deltas,
      ...(before && { base: join(directory, layout.filePath(id, before, kind)) }),
      signal,
      onProgress: onProgress && ((progress) => onProgress(path, progress)),
    });
    count += 1;
  }
  const metadataPath = join(directory, layout.metadataPath(id, buildId));
  if (metadata && (await sizeOf(metadataPath)) !== metadata.size_bytes) {
    const document = await fetchMetadata(api, id, buildId, signal);
    if (sha256Of(document) !== metadata.sha256) {
      throw new DbdepotError("untrusted", `the metadata of ${id} is not the signed one; the mirror was not changed`);
    }
    await writeAtomically(metadataPath, document);
    count += 1;
  }
  return count;
}

async function fetchMetadata(
  api: Api,
  id: string,
  build: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const response = await api.fetchFromService({ path: "/api/v2/database/metadata", query: { id, build }, signal });
  if (response.status !== 200) throw serviceError(response, await response.text());
  return response.bytes();
}

/**
 * Copies manifests from the newest back to the last one that the mirror has, and checks each with its successor's
 * digest.
 */
async function copyChain(
  api: Api,
  { id, sequence, signed }: { id: string; sequence: number; signed: SignedText },
  { directory, signal }: MirrorOptions,
): Promise<void> {
  const entries = [{ position: sequence, signed }];
  for (let previous = parseManifest(signed.manifest)?.previous, position = sequence - 1; position > 0; position -= 1) {
    const known = await readSigned(join(directory, layout.chainPath(id, position)));
    if (known && sha256Of(known.manifest) === previous) break;
    const earlier = await fetchManifest(api, id, { sequence: position, signal });
    if (!earlier || sha256Of(earlier.manifest) !== previous) {
      throw new DbdepotError("untrusted", `the history of ${id} has a gap: manifest ${position} is missing or changed`);
    }
    entries.push({ position, signed: earlier });
    previous = parseManifest(earlier.manifest)?.previous;
  }
  // Written oldest first, so that the next run can continue an interrupted chain.
  for (const entry of entries.reverse()) {
    await writeAtomically(join(directory, layout.chainPath(id, entry.position)), `${JSON.stringify(entry.signed)}\n`);
  }
}

/** The build that has just been replaced stays, because clients may be downloading it. */
async function removeOldBuilds(directory: string, id: string, kept: (string | null | undefined)[]): Promise<void> {
  for (const name of await readdir(join(directory, id))) {
    const isOld = isBuildId(name) && !kept.includes(name);
    if (isOld) await rm(join(directory, layout.buildPath(id, name)), { recursive: true, force: true });
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

function sha256Of(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
