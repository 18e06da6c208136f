import { type ByFileKind, FILE_KINDS } from "@dbdepot/contract/formats";
import type { ObjectStore } from "../objects/store.ts";
import type { Operation } from "../store.ts";
import { type Published, type PublishOptions, publishBuild } from "./publish.ts";
import { discardBuild, stageBuild, stageFile } from "./staging.ts";

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
  /** Stops the publication until the last file is stored; everything is discarded then. */
  signal?: AbortSignal;
}

/** Stages a build with its files and publishes it. If anything fails, everything is discarded. */
export async function publishFiles({ operation, objects }: Publisher, request: PublicationRequest): Promise<Published> {
  const { versionId, document, files, onBytes, signal, ...options } = request;
  const build = await stageBuild(await operation(), { versionId, document });
  try {
    for (const kind of FILE_KINDS) {
      if (!files[kind]) continue;
      const source = abortable(files[kind], signal);
      await stageFile(await operation(), objects, { build, kind, source, ...(onBytes && { onBytes }) });
    }
    signal?.throwIfAborted();
    return await publishBuild(await operation(), objects, build.id, options);
  } catch (error) {
    // The original error matters more. `builds sweep` removes what is left.
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
