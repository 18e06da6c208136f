import { constants } from "node:fs";
import { type FileHandle, open, realpath, rename, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";
import type { Format } from "../api/wire.gen.ts";
import type { Destination } from "./destination.ts";
import { diskError } from "./disk-error.ts";
import { requireSpace } from "./disk-space.ts";
import { FileWriter } from "./file-writer.ts";
import { copyExistingPart, deleteAbandonedParts, deletePart, newPartPath, releasePart } from "./part-files.ts";

const NEW_FILE_MODE = 0o644;

interface OpenPart {
  path: string;
  sha256: string;
  handle: FileHandle;
  writer: FileWriter;
}

/** Collects a file in a part file and renames it over the target once it is complete and verified. */
export class FileDestination implements Destination {
  readonly #target: string;
  readonly #format: Format;
  readonly #signal: AbortSignal | undefined;
  #part: OpenPart | undefined;
  #resumedFromBytes = 0;
  #isOutOfSpace = false;

  private constructor(target: string, format: Format, signal: AbortSignal | undefined) {
    this.#target = target;
    this.#format = format;
    this.#signal = signal;
  }

  static async open(path: string, format: Format, signal: AbortSignal | undefined): Promise<FileDestination> {
    // If the path is a symbolic link, keep the link and replace the file it points to.
    const target = await realpath(path).catch(() => resolve(path));
    return new FileDestination(target, format, signal);
  }

  get receivedBytes(): number {
    return this.#openPart.writer.receivedBytes;
  }

  get resumedFromBytes(): number {
    return this.#resumedFromBytes;
  }

  async begin(sha256: string): Promise<boolean> {
    if (this.#part?.sha256 === sha256) return true;
    await this.#onDisk(async () => {
      await this.#discardPart();
      const path = newPartPath(this.#target, sha256);
      const canResume = await copyExistingPart(this.#target, sha256, path);
      await deleteAbandonedParts(this.#target);
      await this.#createPart(path, sha256);
      if (canResume) await this.#openPart.writer.readExisting(this.#signal);
      this.#resumedFromBytes = this.receivedBytes;
    });
    return true;
  }

  async restart(): Promise<boolean> {
    await this.#onDisk(async () => {
      const { sha256 } = this.#openPart;
      await this.#discardPart();
      await this.#createPart(newPartPath(this.#target, sha256), sha256);
      this.#resumedFromBytes = 0;
    });
    return true;
  }

  async reserve(totalBytes: number): Promise<void> {
    await requireSpace(this.#target, totalBytes - this.receivedBytes).catch((error) => {
      this.#isOutOfSpace = true;
      throw error;
    });
  }

  write(chunk: Uint8Array): Promise<void> {
    return this.#onDisk(() => this.#openPart.writer.write(chunk));
  }

  sha256(): Promise<string> {
    return this.#onDisk(() => this.#openPart.writer.sha256());
  }

  faults(): Promise<string[]> {
    return this.#onDisk(() => this.#openPart.writer.faults());
  }

  /**
   * Syncs the content before the rename, and the rename before reporting success, so that both survive a power failure.
   */
  commit(): Promise<void> {
    return this.#onDisk(async () => {
      const { path, handle } = this.#openPart;
      const old = await stat(this.#target).catch(() => undefined);
      if (old?.isFile()) await handle.chmod(old.mode & 0o7777);
      await handle.sync();
      await rename(path, this.#target);
      await this.#closePart();
      releasePart(path);
      // Some file systems cannot sync a directory.
      await syncDirectory(dirname(this.#target)).catch(() => {});
    });
  }

  async abandon(keepPart: boolean): Promise<void> {
    if (!this.#part) return;
    const { path, writer } = this.#part;
    // reserve() fails before anything is written, so the part can stay until there is enough space.
    if (!(keepPart || this.#isOutOfSpace) || writer.receivedBytes === 0) return this.#discardPart();
    await writer.flush().catch(() => {});
    await this.#closePart();
    releasePart(path);
  }

  get #openPart(): OpenPart {
    if (!this.#part) throw new Error("no part file is open");
    return this.#part;
  }

  async #createPart(path: string, sha256: string): Promise<void> {
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, NEW_FILE_MODE);
    this.#part = { path, sha256, handle, writer: new FileWriter(handle, this.#format) };
  }

  async #discardPart(): Promise<void> {
    const path = this.#part?.path;
    await this.#closePart();
    if (path !== undefined) await deletePart(path);
  }

  async #closePart(): Promise<void> {
    const part = this.#part;
    this.#part = undefined;
    await part?.handle.close();
  }

  async #onDisk<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw diskError(this.#target, error);
    }
  }
}
