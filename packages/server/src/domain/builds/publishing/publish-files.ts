/**
 * Publishing a build takes four steps, which `builds publish` runs one after the other and the operator's API one per request:
 *
 * 1. stage.ts stores the metadata document and the files, and inspects them on the way.
 * 2. check.ts finds faults: files that are broken, and contradictions between them and the metadata document.
 * 3. review.ts adds warnings (warnings.ts), compares the build with the current one, and decides whether it may be published.
 * 4. publish.ts makes it the current build.
 *
 * dry-run.ts stops after the third step and reports what the fourth would do.
 */
import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import { type ByFileKind, FILE_KINDS } from "@dbdepot/contract/shared/formats";
import type { Operation } from "../../store.ts";
import type { Build } from "../build.ts";
import { compareBuilds } from "../changes/comparison.ts";
import type { ObjectStore } from "../object-store.ts";
import { checkBuild } from "./dry-run.ts";
import { type Published, type PublishOptions, publishBuild } from "./publish.ts";
import { discardBuild, stageBuild, stageFile } from "./stage.ts";

/** Each step of a publication is an operation with its own time. */
export interface Publisher {
  operation(): Promise<Operation>;
  objects: ObjectStore;
}

export interface PublicationRequest extends PublishOptions {
  versionId: string;
  document: Buffer;
  files: ByFileKind<AsyncIterable<Buffer>>;
  onBytes?: (count: number) => void;
  /** Whether to compress the csv.gz again. Default: as set for the version. */
  recompress?: boolean | undefined;
  /** Stops the publication before the build becomes current; everything is discarded then. */
  signal?: AbortSignal | undefined;
}

/** Stages a build with its files and publishes it. If anything fails, everything is discarded. */
export function publishFiles(publisher: Publisher, request: PublicationRequest): Promise<Published> {
  const { force, retention, onWaiting, signal } = request;
  const options: PublishOptions = { force, onWaiting, signal, ...(retention && { retention }) };
  return withStagedFiles(publisher, request, async ({ id }) =>
    publishBuild(await publisher.operation(), publisher.objects, id, options),
  );
}

/** Says what publishing the files would do, and discards them. */
export function checkFiles(publisher: Publisher, request: PublicationRequest): Promise<BuildCheck> {
  return withStagedFiles(publisher, request, async (build) => {
    const operation = await publisher.operation();
    const check = await checkBuild(operation.store, build.id, (builds) =>
      compareBuilds(publisher.objects, builds, request.signal),
    );
    await discardBuild(operation, publisher.objects, build);
    return check;
  });
}

async function withStagedFiles<T>(
  { operation, objects }: Publisher,
  { versionId, document, files, onBytes, recompress, signal }: PublicationRequest,
  use: (build: Build) => Promise<T>,
): Promise<T> {
  const build = await stageBuild(await operation(), { versionId, document });
  try {
    for (const kind of FILE_KINDS) {
      if (!files[kind]) continue;
      const source = abortable(files[kind], signal);
      await stageFile(await operation(), objects, { build, kind, source, recompress, ...(onBytes && { onBytes }) });
    }
    signal?.throwIfAborted();
    return await use(build);
  } catch (error) {
    // The original error matters more. `builds sweep` removes leftovers.
    await discardBuild(await operation(), objects, build).catch(() => {});
    throw error;
  }
}

async function* abortable(source: AsyncIterable<Buffer>, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  for await (const bytes of source) {
    signal?.throwIfAborted();
    yield bytes;
  }
}
