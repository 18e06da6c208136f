import type { Build } from "../builds/build.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import type { JobContext } from "../jobs/runner.ts";
import type { ChainEntry } from "../manifests/manifest.ts";
import type { OfferedPatch } from "../patches/patch.ts";
import type { Store } from "../store.ts";
import { type Bucket, BucketError } from "./bucket.ts";
import type { DeliveredBuild, DeliveredDatabase, DeliveredFile, Destination } from "./destination.ts";
import { chainPath, manifestFiles, patchFile, patchList, signedText } from "./documents.ts";
import { sendFile } from "./send.ts";
import type { Wanted } from "./wanted.ts";

const JSON_TYPE = "application/json";
const CHAIN_PARALLEL = 8;

interface Options {
  store: Store;
  objects: Pick<ObjectStore, "read">;
}

interface Opened {
  destination: Destination;
  bucket: Bucket;
  context: JobContext;
}

/** Writes the manifests that the bucket lacks, oldest first. Returns the position of the newest. */
export async function writeChain(
  { store }: Pick<Options, "store">,
  bucket: Bucket,
  { versionId, sequence: newest }: ChainEntry,
  from: number,
): Promise<number> {
  for (let first = from + 1; first <= newest; first += CHAIN_PARALLEL) {
    const length = Math.min(CHAIN_PARALLEL, newest - first + 1);
    await Promise.all(
      Array.from({ length }, async (_, index) => {
        const entry = await store.manifests.bySequence(versionId, first + index);
        if (entry) await bucket.write(chainPath(versionId, entry.sequence), signedText(entry), JSON_TYPE);
      }),
    );
  }
  return newest;
}

/** Writes the newest manifest with its statement of freshness, after the patches for which its readers look. */
export async function writeManifest(
  options: Options,
  opened: Opened,
  { version, build, patches, manifest, freshness }: Wanted,
  record: DeliveredBuild | undefined,
): Promise<void> {
  if (!manifest) return;
  if (build && record) await writePatches(options, opened, build, patches, record);
  // Extends the claim, so that no other process has written a newer statement.
  await opened.context.change(async () => {});
  for (const [path, text] of manifestFiles(version.id, manifest, freshness)) {
    await opened.bucket.write(path, text, path.endsWith(".json") ? JSON_TYPE : "text/plain");
  }
}

async function writePatches(
  options: Options,
  opened: Opened,
  build: Build,
  patches: readonly OfferedPatch[],
  record: DeliveredBuild,
): Promise<void> {
  const written: OfferedPatch[] = [];
  for (const patch of patches) {
    try {
      await writeOnce(options, opened, record, patchFile(build, patch), patch.file.objectKey);
      written.push(patch);
    } catch (error) {
      // Readers can do without a patch that is missing or damaged in our own storage.
      if (error instanceof BucketError || opened.context.signal.aborted) throw error;
    }
  }
  const list = patchList(build, written);
  await writeOnce(options, opened, record, list.file, list.content);
}

/** Recorded before it is written, so that it is removed with the build. */
async function writeOnce(
  { store, objects }: Options,
  opened: Opened,
  record: DeliveredBuild,
  file: DeliveredFile,
  content: string | Uint8Array,
): Promise<void> {
  const { path, sha256 } = file;
  if (record.files.some((known) => known.path === path && known.sha256 === sha256 && known.isWritten)) return;
  record.files = [...record.files.filter((known) => known.path !== path), file];
  await store.destinations.setBuild(record);
  await sendFile(objects, opened, file, content);
  file.isWritten = true;
  await store.destinations.setBuild(record);
}

/** Renews the statement of freshness and the patches in the bucket. The build is the same, so the log of deliveries gets no row. */
export async function renew(options: Options, opened: Opened, wanted: Wanted, known: DeliveredDatabase): Promise<void> {
  const builds = await options.store.destinations.builds(opened.destination.id);
  const record = builds.find(({ buildId }) => buildId === wanted.build?.id);
  await writeManifest(options, opened, wanted, record);
  await opened.context.change((tables) => tables.destinations.setDatabase({ ...known, additions: wanted.additions }));
}
