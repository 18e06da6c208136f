import { once } from "node:events";
import { PassThrough } from "node:stream";
import { type ByFileKind, type FileKind, type Format, isFormat, sampleOf } from "@dbdepot/contract/shared/formats";
import { conflict } from "../../platform/primitives/faults.ts";
import type { Build } from "./build.ts";
import { ObjectExists, type ObjectKey, type ObjectStore, type StoredObject } from "./object-store.ts";
import type { BuildStore } from "./store.ts";

/** Version ids end in a number, so this prefix cannot clash with one. */
const PREFIX = "uploads";
/** The most that an upload can lose if this process crashes. */
const PART_BYTES = 64 * 1024 * 1024;
const OFFSET_DIGITS = 16;

/**
 * The parts of an incomplete upload. They are objects in storage, so any process can resume the upload. Each is named by
 * its offset, and objects are never overwritten, so two concurrent uploads cannot both store a part.
 */
export interface UploadParts {
  objects: StoredObject[];
  sizeBytes: number;
}

export async function listParts(objects: ObjectStore, build: Build, kind: FileKind): Promise<UploadParts> {
  const prefix = prefixOf(build, kind);
  const found = await Array.fromAsync(objects.list(prefix));
  const parts: UploadParts = { objects: [], sizeBytes: 0 };
  for (const object of found.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    if (Number(object.key.slice(prefix.length)) !== parts.sizeBytes) continue;
    parts.objects.push(object);
    parts.sizeBytes += object.sizeBytes;
  }
  return parts;
}

/** How many bytes have arrived of each file that is incomplete. */
export async function receivedBytes(
  objects: ObjectStore,
  build: Build,
  formats: readonly Format[],
): Promise<ByFileKind<number>> {
  if (build.state !== "staged") return {};
  const missing = [...formats, ...formats.map(sampleOf)].filter((kind) => !build.files[kind]);
  const sizes = missing.map(async (kind) => [kind, (await listParts(objects, build, kind)).sizeBytes] as const);
  const received = await Promise.all(sizes);
  // Samples are optional: those that have not begun are not missing.
  return Object.fromEntries(received.filter(([kind, sizeBytes]) => isFormat(kind) || sizeBytes > 0));
}

/** Removes the parts of one file, or of all. */
export async function removeParts(objects: ObjectStore, build: Build, kind?: FileKind): Promise<void> {
  const prefix = kind ? prefixOf(build, kind) : `${PREFIX}/${build.id}/`;
  for await (const { key } of objects.list(prefix)) await objects.remove(key);
}

/** The parts of builds that are no longer staged. */
export async function orphanedParts(builds: BuildStore, objects: ObjectStore): Promise<StoredObject[]> {
  const found = await Array.fromAsync(objects.list(`${PREFIX}/`));
  const states = await builds.statesOf([...new Set(found.map(({ key }) => buildIdOf(key)))]);
  return found.filter(({ key }) => states.get(buildIdOf(key)) !== "staged");
}

/** Yields the stored parts and then the rest of the upload, which is stored in parts if it is interrupted. */
export async function* resumeUpload(
  objects: ObjectStore,
  upload: { build: Build; kind: FileKind; parts: UploadParts; rest: AsyncIterable<Buffer>; partBytes?: number },
): AsyncGenerator<Buffer> {
  const { build, kind, parts, rest, partBytes = PART_BYTES } = upload;
  for (const { key } of parts.objects) yield* await objects.read(key);
  yield* storeInParts(rest, (offset) => new PartWriter(objects, keyAt(prefixOf(build, kind), offset)), {
    offset: parts.sizeBytes,
    partBytes,
  });
}

/** Passes bytes through. If the source fails, what has passed is kept; if it ends, the last part is not needed. */
async function* storeInParts(
  source: AsyncIterable<Buffer>,
  startPart: (offset: number) => PartWriter,
  { offset, partBytes }: { offset: number; partBytes: number },
): AsyncGenerator<Buffer> {
  let part: PartWriter | undefined;
  let isComplete = false;
  let at = offset;
  try {
    for await (const bytes of source) {
      for (let from = 0; from < bytes.length; ) {
        part ??= startPart(at);
        const slice = bytes.subarray(from, from + partBytes - part.sizeBytes);
        await part.write(slice);
        from += slice.length;
        at += slice.length;
        if (part.sizeBytes < partBytes) continue;
        await part.finish();
        part = undefined;
      }
      yield bytes;
    }
    isComplete = true;
  } finally {
    // Losing a part only costs time: the client asks how many bytes have arrived.
    if (isComplete) await part?.discard();
    else await part?.finish().catch(() => {});
  }
}

class PartWriter {
  sizeBytes = 0;
  readonly #stream = new PassThrough();
  readonly #stored: Promise<StoredObject>;

  constructor(objects: ObjectStore, key: ObjectKey) {
    this.#stored = objects.put(key, this.#stream).catch((error) => {
      if (error instanceof ObjectExists) throw conflict("the same file is being uploaded by another request");
      throw error;
    });
    this.#stored.catch(() => {});
    this.#stream.on("error", () => {});
  }

  async write(bytes: Buffer): Promise<void> {
    this.sizeBytes += bytes.length;
    if (!this.#stream.write(bytes)) await Promise.race([once(this.#stream, "drain"), this.#stored]);
  }

  async finish(): Promise<void> {
    this.#stream.end();
    await this.#stored;
  }

  async discard(): Promise<void> {
    this.#stream.destroy(new Error("not needed"));
    await this.#stored.catch(() => {});
  }
}

function prefixOf({ id }: Build, kind: FileKind): string {
  return `${PREFIX}/${id}/${kind}/`;
}

function keyAt(prefix: string, offset: number): ObjectKey {
  return prefix + String(offset).padStart(OFFSET_DIGITS, "0");
}

function buildIdOf(key: ObjectKey): string {
  return key.split("/")[1] ?? "";
}
