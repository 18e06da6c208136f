import { hash } from "node:crypto";
import { join } from "node:path";
import type { FileKind } from "@dbdepot/contract/shared/formats";
import type { SignaturePublicKey } from "@dbdepot/formats/minisign";
import { conflict, invalid } from "../../platform/primitives/faults.ts";
import { record } from "../audit/audit.ts";
import { addFamily, addVersion, requireVersion } from "../catalogue/catalogue.ts";
import { announce } from "../events/events.ts";
import { acceptedKeys, addImportedFreshness, addImportedKeys } from "../manifests/imported-keys.ts";
import {
  type MirroredVersion,
  type MirrorIndex,
  mirroredFile,
  readMirroredVersion,
  readMirrorIndex,
  readMirrorKeys,
} from "../manifests/mirror.ts";
import type { SigningKey } from "../manifests/signing-key.ts";
import type { Store, Tables } from "../store.ts";
import type { Build } from "./build.ts";
import { replaceCurrent, requestChanges } from "./current.ts";
import { readDocument } from "./document.ts";
import { publishedEvent } from "./events.ts";
import { openLocalFiles, readDocumentFile } from "./local-files.ts";
import type { Publisher } from "./publishing/publish-files.ts";
import { requirePublishable, reviewBuild } from "./publishing/review.ts";
import { discardBuild, requireStaged, stageBuild, stageFile } from "./publishing/stage.ts";
import { buildToWire } from "./wire.ts";

export interface ImportedVersion {
  id: string;
  buildId: string;
  sequence: number;
  isChanged: boolean;
}

/**
 * Publishes the builds of a mirror with the vendor's own manifests, so that customers verify them as if they came from
 * the vendor.
 */
export async function importMirror(
  publisher: Publisher,
  directory: string,
  trusted: readonly SignaturePublicKey[],
): Promise<ImportedVersion[]> {
  const index = await readMirrorIndex(directory);
  const keys = acceptedKeys(await readMirrorKeys(directory), trusted);
  const imported: ImportedVersion[] = [];
  for (const family of index.databases) {
    for (const version of family.versions) {
      const mirrored = await readMirroredVersion(directory, version.id, trusted);
      await addMissing(publisher, family, version);
      imported.push(await importVersion(publisher, directory, mirrored, keys));
    }
  }
  return imported;
}

/** Adds families as private, so that customers see them only once a licence is granted. */
async function addMissing(
  { operation }: Publisher,
  { base, name }: MirrorIndex["databases"][number],
  { id, summary, formats }: MirrorIndex["databases"][number]["versions"][number],
): Promise<void> {
  const { store } = await operation();
  if (await store.versions.byId(id)) return;
  if (!(await store.families.byBase(base))) await addFamily(await operation(), { base, name, visibility: "private" });
  await addVersion(await operation(), { id, summary, formats });
}

async function importVersion(
  publisher: Publisher,
  directory: string,
  { manifest, chain, freshness }: MirroredVersion,
  keys: readonly SigningKey[],
): Promise<ImportedVersion> {
  const { id, build_id: buildId, sequence } = manifest;
  if (buildId === null) throw invalid(`the vendor has withdrawn the last build of ${id}`);
  const { store } = await publisher.operation();
  await requireContinuation(store, id, chain);
  const newest = chain.at(-1);
  const confirm = async (tables: Tables) => newest && addImportedFreshness(tables, keys, freshness, newest);
  if ((await store.manifests.latest(id))?.sequence === sequence) {
    if (freshness) await store.change(confirm);
    return { id, buildId, sequence, isChanged: false };
  }
  const found = await store.builds.byId(buildId);
  // An interrupted import left this build behind.
  if (found?.state === "staged") await discardBuild(await publisher.operation(), publisher.objects, found);
  const known = found?.state === "staged" ? undefined : found;
  if (known && known.state !== "published")
    throw conflict(`build ${buildId} of ${id} is ${known.state} on this server`);
  if (!known) await stage(publisher, directory, manifest, buildId);
  const operation = await publisher.operation();
  const document = await readDocument(await readDocumentFile(join(directory, mirroredFile(id, buildId, "metadata"))));
  await operation.store.change(async (tables) => {
    await requireContinuation(tables, id, chain);
    const version = await requireVersion(tables, id);
    const build =
      known ?? (await publishStaged(tables, buildId, document, new Date(manifest.published ?? manifest.created)));
    await replaceCurrent(tables, operation, version, build);
    const latest = (await tables.manifests.latest(id))?.sequence ?? 0;
    const added = chain.slice(latest);
    await addImportedKeys(tables, keys, added);
    for (const entry of added) await tables.manifests.append(entry);
    await confirm(tables);
    await record(tables, operation, {
      action: "build.published",
      subject: buildId,
      before: { version_id: id, current_build_id: version.currentBuildId },
      after: { ...buildToWire(build, buildId), imported: true, manifest_sequence: sequence },
    });
    const changes = await requestChanges(tables, operation, version, build);
    await announce(tables, operation, publishedEvent(version, build, changes));
  });
  return { id, buildId, sequence, isChanged: true };
}

/** Stores the files, and discards them unless all are exactly what was signed. */
async function stage(
  { operation, objects }: Publisher,
  directory: string,
  { id, files, metadata }: MirroredVersion["manifest"],
  buildId: string,
): Promise<void> {
  const path = (kind: FileKind | "metadata") => join(directory, mirroredFile(id, buildId, kind));
  const kinds = Object.keys(files) as FileKind[];
  const { sources } = await openLocalFiles({
    metadata: path("metadata"),
    ...Object.fromEntries(kinds.map((kind) => [kind, path(kind)])),
  });
  const document = await readDocumentFile(path("metadata"));
  if (hash("sha256", document) !== metadata?.sha256) throw invalid(`${path("metadata")} is not the signed file`);
  const build = await stageBuild(await operation(), { versionId: id, document, id: buildId });
  try {
    for (const kind of kinds) {
      const source = sources[kind];
      if (!source) continue;
      const { checksums } = await stageFile(await operation(), objects, { build, kind, source, recompress: false });
      if (checksums.sha256 !== files[kind]?.checksums.sha256) throw invalid(`${path(kind)} is not the signed file`);
    }
  } catch (error) {
    await discardBuild(await operation(), objects, build).catch(() => {});
    throw error;
  }
}

async function publishStaged(
  tables: Tables,
  buildId: string,
  document: Awaited<ReturnType<typeof readDocument>>,
  published: Date,
): Promise<Build> {
  const staged = await requireStaged(tables, buildId);
  const version = await requireVersion(tables, staged.versionId);
  requirePublishable(await reviewBuild(tables, version, staged, document), version, true);
  await tables.builds.setState(buildId, { state: "published", published });
  return { ...staged, state: "published", published };
}

/** A version has one history: its own, or the vendor's. */
async function requireContinuation(
  tables: Pick<Store, "manifests" | "versions">,
  id: string,
  chain: MirroredVersion["chain"],
): Promise<void> {
  const latest = await tables.manifests.latest(id);
  if (latest) {
    if (chain[latest.sequence - 1]?.body === latest.body) return;
    throw conflict(`${id} has another history here than in the mirror, or the mirror is older: nothing was changed`);
  }
  if ((await tables.versions.byId(id))?.currentBuildId) {
    throw conflict(`${id} has builds of its own on this server: import into a version without builds`);
  }
}
