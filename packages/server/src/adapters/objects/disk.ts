import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { FileStream } from "@dbdepot/formats/transfers/file-stream";
import {
  NoSuchObject,
  ObjectExists,
  type ObjectKey,
  type ObjectStore,
  RangeNotInObject,
  StorageFull,
  type StoredObject,
} from "../../domain/builds/object-store.ts";
import { createDirectory } from "../../platform/primitives/create-directory.ts";
import { isOneOf, lstatIfExists, publish, removeEmptyFolders, stored, walk } from "./disk-tree.ts";
import { type LinkTarget, linkSigner } from "./links.ts";
import { isObjectKey, requireObjectKey } from "./object-key.ts";
import type { Authority } from "./sigv4.ts";

/** Contains files while they are written. No key can name it, because segments never start with a dot. */
const PARTIAL_FOLDER = ".partial";
const OWNER_ONLY = { folder: 0o700, file: 0o600 };
const OWNER_AND_GROUP = { folder: 0o750, file: 0o640 };

export interface OpenObject extends StoredObject {
  handle: FileHandle;
}

export interface DiskStore extends ObjectStore {
  /** Undefined if the object does not exist. The caller closes the handle. */
  open(key: ObjectKey): Promise<OpenObject | undefined>;
}

export interface DiskStoreOptions {
  folder: string;
  /** The origin under which customers reach the gateway. */
  linkOrigin: string;
  authority: Authority;
  /** Lets the group read new objects, for a proxy that sends them. */
  isGroupReadable?: boolean;
}

export function diskStore({ folder, linkOrigin, authority, isGroupReadable }: DiskStoreOptions): DiskStore {
  const modes = isGroupReadable ? OWNER_AND_GROUP : OWNER_ONLY;
  const linkTarget: LinkTarget = { origin: linkOrigin, basePath: "/" };
  let prepared: Promise<string> | undefined;

  /** The directory itself may be a symbolic link; nothing in it may be. */
  function root(): Promise<string> {
    prepared ??= prepare(folder, modes.folder).catch((error) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  }

  const store: DiskStore = {
    linkOrigin,
    linkRegions: [],
    link: linkSigner(linkTarget, authority),

    async put(key, body) {
      let partial: string | undefined;
      try {
        const path = join(await root(), requireObjectKey(key));
        if (await store.stat(key)) throw new ObjectExists(key);
        partial = join(await root(), PARTIAL_FOLDER, randomUUID());
        await writeDurably(partial, body, modes.file);
        await publish(partial, key, await root(), modes.folder);
        return stored(key, await lstat(path));
      } catch (error) {
        throw isOneOf(error, ["ENOSPC", "EDQUOT"]) ? new StorageFull(error) : error;
      } finally {
        if (body instanceof Readable) body.destroy();
        if (partial) await rm(partial, { force: true });
      }
    },

    async open(key) {
      if (!isObjectKey(key)) return undefined;
      const path = join(await root(), key);
      try {
        if ((await realpath(dirname(path))) !== dirname(path)) return undefined;
        // Opened without blocking, because opening a named pipe would wait for a writer.
        const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
        const stat = await handle.stat();
        if (stat.isFile()) return { ...stored(key, stat), handle };
        await handle.close();
        return undefined;
      } catch (error) {
        if (isOneOf(error, ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"])) return undefined;
        throw error;
      }
    },

    async stat(key) {
      const object = await store.open(requireObjectKey(key));
      if (!object) return undefined;
      const { handle, ...found } = object;
      await handle.close();
      return found;
    },

    async read(key, range) {
      const object = await store.open(requireObjectKey(key));
      if (!object) throw new NoSuchObject(key);
      if (range && range.first >= object.sizeBytes) {
        await object.handle.close();
        throw new RangeNotInObject(key, range);
      }
      const last = object.sizeBytes - 1;
      const part = range ? { first: range.first, last: Math.min(range.last, last) } : { first: 0, last };
      return new FileStream(object.handle, part);
    },

    async *list(prefix) {
      yield* walk(await root(), "", prefix);
    },

    async remove(key) {
      if (!(await store.stat(key))) return;
      const path = join(await root(), key);
      await rm(path, { force: true });
      await removeEmptyFolders(dirname(path), await root());
    },

    async sweepPartial(before) {
      const partials = join(await root(), PARTIAL_FOLDER);
      let swept = 0;
      for (const name of await readdir(partials)) {
        const stat = await lstatIfExists(join(partials, name));
        if (!stat || stat.mtime >= before) continue;
        await rm(join(partials, name), { force: true });
        swept += 1;
      }
      return swept;
    },
  };
  return store;
}

async function writeDurably(path: string, body: AsyncIterable<Uint8Array>, mode: number): Promise<void> {
  await using handle = await open(path, "wx", mode);
  // Unlike `write`, `writeFile` continues until the whole chunk is written.
  for await (const bytes of body) await handle.writeFile(bytes);
  await handle.sync();
}

async function prepare(folder: string, mode: number): Promise<string> {
  await createDirectory(join(folder, PARTIAL_FOLDER), mode);
  return realpath(folder);
}
