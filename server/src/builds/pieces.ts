import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { Format } from "@dbdepot/contract/formats";
import { conflict } from "../faults.ts";
import { ObjectExists, type ObjectKey, type ObjectStore, type StoredObject } from "../objects/store.ts";
import type { Build } from "./build.ts";
import type { BuildStore } from "./store.ts";

/** No version has such a name: they all end in a number. */
const FOLDER = "uploads";
/** What a crash of this process can cost an upload at the most. */
const PIECE_BYTES = 64 * 1024 * 1024;
const OFFSET_DIGITS = 16;

/**
 * The bytes of a file that is not whole yet. They lie in the storage, as objects that follow one another, so that any
 * process can go on with an upload that broke off at another. A piece is named by where it begins: of two uploads at
 * once, only one can have it.
 */
export interface Pieces {
  objects: StoredObject[];
  sizeBytes: number;
}

export async function piecesOf(objects: ObjectStore, build: Build, format: Format): Promise<Pieces> {
  const folder = folderOf(build, format);
  const found = await Array.fromAsync(objects.list(folder));
  const pieces: Pieces = { objects: [], sizeBytes: 0 };
  for (const object of found.sort((one, other) => (one.key < other.key ? -1 : 1))) {
    if (Number(object.key.slice(folder.length)) !== pieces.sizeBytes) continue;
    pieces.objects.push(object);
    pieces.sizeBytes += object.sizeBytes;
  }
  return pieces;
}

/** How far the files have come that are not whole yet, of those that the build is to have. */
export async function receivedBytes(
  objects: ObjectStore,
  build: Build,
  formats: readonly Format[],
): Promise<Partial<Record<Format, number>>> {
  if (build.state !== "staged") return {};
  const missing = formats.filter((format) => !build.files[format]);
  const sizes = missing.map(async (format) => [format, (await piecesOf(objects, build, format)).sizeBytes] as const);
  return Object.fromEntries(await Promise.all(sizes));
}

/** Of one file, or of all. */
export async function removePieces(objects: ObjectStore, build: Build, format?: Format): Promise<void> {
  const folder = format ? folderOf(build, format) : `${FOLDER}/${build.id}/`;
  for await (const { key } of objects.list(folder)) await objects.remove(key);
}

/** The pieces of builds that no longer wait for any. */
export async function strandedPieces(builds: BuildStore, objects: ObjectStore): Promise<StoredObject[]> {
  const found = await Array.fromAsync(objects.list(`${FOLDER}/`));
  const states = await builds.statesOf([...new Set(found.map(({ key }) => buildIdOf(key)))]);
  return found.filter(({ key }) => states.get(buildIdOf(key)) !== "staged");
}

/** The pieces, one after the other, then the rest as it arrives. */
export async function* wholeFile(
  objects: ObjectStore,
  file: { build: Build; format: Format; pieces: Pieces; rest: AsyncIterable<Buffer>; pieceBytes?: number },
): AsyncGenerator<Buffer> {
  const { build, format, pieces, rest, pieceBytes = PIECE_BYTES } = file;
  for (const { key } of pieces.objects) yield* await objects.read(key);
  yield* kept(rest, (offset) => new Piece(objects, keyAt(folderOf(build, format), offset)), {
    offset: pieces.sizeBytes,
    pieceBytes,
  });
}

/** Passes bytes on, and keeps what went by if they break off. If they come to their end nothing needs to be kept. */
async function* kept(
  rest: AsyncIterable<Buffer>,
  begin: (offset: number) => Piece,
  { offset, pieceBytes }: { offset: number; pieceBytes: number },
): AsyncGenerator<Buffer> {
  let piece: Piece | undefined;
  let isWhole = false;
  let at = offset;
  try {
    for await (const bytes of rest) {
      for (let from = 0; from < bytes.length; ) {
        piece ??= begin(at);
        const part = bytes.subarray(from, from + pieceBytes - piece.sizeBytes);
        await piece.write(part);
        from += part.length;
        at += part.length;
        if (piece.sizeBytes < pieceBytes) continue;
        await piece.keep();
        piece = undefined;
      }
      yield bytes;
    }
    isWhole = true;
  } finally {
    // Whoever goes on with the upload is told how far it came: a piece that is lost costs time, nothing else.
    if (isWhole) await piece?.drop();
    else await piece?.keep().catch(() => {});
  }
}

/** An object that is being written. */
class Piece {
  sizeBytes = 0;
  readonly #stream = new PassThrough();
  readonly #stored: Promise<StoredObject>;

  constructor(objects: ObjectStore, key: ObjectKey) {
    this.#stored = objects.put(key, this.#stream).catch((error) => {
      if (error instanceof ObjectExists) throw conflict("somebody else is sending the same file");
      throw error;
    });
    this.#stored.catch(() => {});
    this.#stream.on("error", () => {});
  }

  async write(bytes: Buffer): Promise<void> {
    this.sizeBytes += bytes.length;
    if (!this.#stream.write(bytes)) await Promise.race([once(this.#stream, "drain"), this.#stored]);
  }

  async keep(): Promise<void> {
    this.#stream.end();
    await this.#stored;
  }

  async drop(): Promise<void> {
    this.#stream.destroy(new Error("not needed"));
    await this.#stored.catch(() => {});
  }
}

function folderOf({ id }: Build, format: Format): string {
  return `${FOLDER}/${id}/${format}/`;
}

function keyAt(folder: string, offset: number): ObjectKey {
  return folder + String(offset).padStart(OFFSET_DIGITS, "0");
}

function buildIdOf(key: ObjectKey): string {
  return key.split("/")[1] ?? "";
}
