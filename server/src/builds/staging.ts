import { FORMATS, type Format, fileName } from "@dbdepot/contract/formats";
import { requireVersion } from "../catalogue/catalogue.ts";
import { conflict, notFound } from "../faults.ts";
import { newId } from "../ids.ts";
import type { ObjectKey, ObjectStore } from "../objects/store.ts";
import type { Operation } from "../store.ts";
import type { Build, BuildFile } from "./build.ts";
import { readDocument } from "./document.ts";
import { Inspection } from "./inspection/inspection.ts";
import { removePieces } from "./pieces.ts";
import type { BuildStore } from "./store.ts";

/**
 * Begins a build: from here on its files may arrive, in any order. It remembers which
 * build is current now: if another one is when it gets published, two publishers were at
 * work at once, and one of them has to look again. The document is judged with the files.
 */
export async function stageBuild(
  operation: Operation,
  request: { versionId: string; document: Buffer },
): Promise<Build> {
  const read = readDocument(request.document);
  return operation.store.change(async (tables) => {
    const version = await requireVersion(tables, request.versionId);
    const build: Build = {
      id: newId(operation.now),
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

/**
 * Stores a file of a staged build while it is inspected: it is read once, and is durable
 * when this returns. What is wrong with it is told when the build is to be published.
 */
export async function stageFile(
  operation: Operation,
  objects: ObjectStore,
  request: { build: Build; format: Format; source: AsyncIterable<Buffer>; onBytes?: (count: number) => void },
): Promise<BuildFile> {
  const { build, format, source, onBytes } = request;
  const objectKey = objectKeyOf(build, format);
  await using inspection = new Inspection(format);
  async function* inspected() {
    for await (const bytes of source) {
      await inspection.take(bytes);
      onBytes?.(bytes.length);
      yield bytes;
    }
  }
  await objects.put(objectKey, inspected());
  try {
    const { sizeBytes, checksums, findings } = await inspection.end();
    const file: BuildFile = { objectKey, sizeBytes, checksums };
    await operation.store.change(async (tables) => {
      const { files } = await requireStaged(tables, build.id);
      if (files[format]) throw conflict(`build ${build.id} has its ${format} already`);
      await tables.builds.addFile(build.id, format, file, findings);
    });
    return file;
  } catch (error) {
    await objects.remove(objectKey);
    throw error;
  }
}

/** Takes back a build that was not published, with all that was stored of it. */
export async function discardBuild(operation: Operation, objects: ObjectStore, build: Build): Promise<void> {
  await operation.store.change(async (tables) => {
    const found = await tables.builds.byId(build.id);
    if (found && found.state !== "staged") throw conflict(`build ${build.id} is ${found.state}: it stays`);
    await tables.builds.discard(build.id);
  });
  await removeObjects(objects, build);
  await removePieces(objects, build);
}

export async function requireStaged(tables: { builds: BuildStore }, id: string): Promise<Build> {
  const build = await tables.builds.byId(id);
  if (!build) throw notFound(`there is no build "${id}"; if it was begun long ago, it was swept away`);
  if (build.state !== "staged") throw conflict(`build ${id} is ${build.state} already`);
  return build;
}

/** Nothing is wrong with objects that are not there: not every format was stored, or not to its end. */
export async function removeObjects(objects: ObjectStore, build: Build): Promise<void> {
  for (const format of FORMATS) await objects.remove(objectKeyOf(build, format));
}

/** No two builds share an object, so none is ever overwritten. */
function objectKeyOf({ id, versionId }: Build, format: Format): ObjectKey {
  return `${versionId}/${id}/${fileName(versionId, format)}`;
}
