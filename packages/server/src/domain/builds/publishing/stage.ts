import { FILE_KINDS, type FileKind, fileName, formatOf } from "@dbdepot/contract/shared/formats";
import { conflict, notFound } from "../../../platform/primitives/faults.ts";
import { newId } from "../../../platform/primitives/ids.ts";
import { requireFamily, requireVersion } from "../../catalogue/catalogue.ts";
import type { Operation } from "../../store.ts";
import type { Build, BuildFile, BuildSummary } from "../build.ts";
import { readDocument } from "../document.ts";
import { Inspection } from "../inspection/inspection.ts";
import type { ObjectKey, ObjectStore } from "../object-store.ts";
import type { BuildStore } from "../store.ts";
import { removeParts } from "../upload-parts.ts";
import { recompressed, withCsvgzSize } from "./recompress.ts";

/**
 * Starts a build, whose files can then be uploaded in any order. Records the current build, so that publishing can tell
 * whether another publish finished first. The document is checked together with the files.
 * An imported build has the id that its vendor gave it.
 */
export async function stageBuild(
  operation: Operation,
  request: { versionId: string; document: Buffer; id?: string },
): Promise<Build> {
  const read = await readDocument(request.document);
  return operation.store.change(async (tables) => {
    const version = await requireVersion(tables, request.versionId);
    const family = await requireFamily(tables, version.base);
    if (version.archived || family.archived) {
      throw conflict(`${version.archived ? version.id : `the family ${family.base}`} is archived: unarchive it first`);
    }
    const build: Build = {
      id: request.id ?? newId(operation.now),
      versionId: version.id,
      state: "staged",
      metadata: request.document,
      updated: "metadata" in read ? read.metadata.updated : "",
      entries: "metadata" in read ? read.metadata.entries : 0,
      files: {},
      created: operation.now,
      published: null,
      withdrawn: null,
    };
    await tables.builds.insert(build, version.currentBuildId);
    return build;
  });
}

interface FileRequest {
  build: Build;
  kind: FileKind;
  source: AsyncIterable<Buffer>;
  onBytes?: (count: number) => void;
  /** Whether to compress a csv.gz again. Default: as set for the version. */
  recompress?: boolean | undefined;
}

/**
 * Stores and inspects a file of a staged build, reading it once. It is durable when this returns. Its faults are reported
 * when the build is published. A csv.gz that is compressed again gets its new size in the metadata document.
 */
export async function stageFile(operation: Operation, objects: ObjectStore, request: FileRequest): Promise<BuildFile> {
  const { build, kind, source, onBytes } = request;
  const objectKey = objectKeyOf(build, kind);
  await using inspection = new Inspection(formatOf(kind));
  async function* counted() {
    for await (const bytes of source) {
      onBytes?.(bytes.length);
      yield bytes;
    }
  }
  const isRecompressed = kind === "csvgz" && (request.recompress ?? (await isSetToRecompress(operation, build)));
  async function* inspected() {
    for await (const bytes of isRecompressed ? recompressed(counted()) : counted()) {
      await inspection.write(bytes);
      yield bytes;
    }
  }
  await objects.put(objectKey, inspected());
  try {
    const { sizeBytes, checksums, report } = await inspection.end();
    const file: BuildFile = { objectKey, sizeBytes, checksums };
    const document = isRecompressed ? await withCsvgzSize(build.metadata, sizeBytes) : build.metadata;
    await operation.store.change(async (tables) => {
      const { files } = await requireStaged(tables, build.id);
      if (files[kind]) throw conflict(`build ${build.id} already has its ${kind}`);
      await tables.builds.addFile(build.id, kind, file, report);
      if (document !== build.metadata) await tables.builds.setDocument(build.id, document);
    });
    return file;
  } catch (error) {
    await objects.remove(objectKey);
    throw error;
  }
}

async function isSetToRecompress({ store }: Operation, { versionId }: Build): Promise<boolean> {
  return (await requireVersion(store, versionId)).recompress;
}

/** Deletes a staged build with everything that was stored of it. */
export async function discardBuild(operation: Operation, objects: ObjectStore, build: Build): Promise<void> {
  await operation.store.change(async (tables) => {
    const found = await tables.builds.byId(build.id);
    if (found && found.state !== "staged")
      throw conflict(`build ${build.id} is ${found.state}, so it cannot be discarded`);
    await tables.builds.discard(build.id);
  });
  await removeObjects(objects, build);
  await removeParts(objects, build);
}

export async function requireStaged(tables: { builds: BuildStore }, id: string): Promise<Build> {
  const build = await tables.builds.byId(id);
  if (!build) throw notFound(`there is no build "${id}" (unfinished builds are deleted after a day)`);
  if (build.state !== "staged") throw conflict(`build ${id} is already ${build.state}`);
  return build;
}

/** Objects that do not exist are ignored: perhaps not every file was stored. */
export async function removeObjects(objects: ObjectStore, build: BuildSummary): Promise<void> {
  for (const kind of FILE_KINDS) await objects.remove(objectKeyOf(build, kind));
}

/** Contains the build id, so no object is ever overwritten. */
function objectKeyOf({ id, versionId }: BuildSummary, kind: FileKind): ObjectKey {
  return `${versionId}/${id}/${fileName(versionId, kind)}`;
}
