import { constants } from "node:fs";
import { type FileHandle, open, realpath, rename, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Format } from "../wire.ts";
import type { Destination } from "./destination.ts";
import { diskError } from "./disk-error.ts";
import type { Findings } from "./examiner.ts";
import { Intake } from "./intake.ts";
import { adoptPart, leavePart, newPartPath, removePart, sweepParts } from "./parts.ts";

const NEW_FILE_MODE = 0o644;

interface OpenPart {
  path: string;
  sha256: string;
  handle: FileHandle;
  intake: Intake;
}

/** A file that is replaced in one step, when all of the new one is there and sound. */
export class PathDestination implements Destination {
  readonly target: string;
  readonly #format: Format;
  readonly #signal: AbortSignal | undefined;
  #part: OpenPart | undefined;
  #resumedFromBytes = 0;

  private constructor(target: string, format: Format, signal: AbortSignal | undefined) {
    this.target = target;
    this.#format = format;
    this.#signal = signal;
  }

  static async open(path: string, format: Format, signal: AbortSignal | undefined): Promise<PathDestination> {
    // A link stays, and what it leads to is replaced.
    const target = await realpath(path).catch(() => resolve(path));
    return new PathDestination(target, format, signal);
  }

  get sink(): Intake {
    return this.#open().intake;
  }

  get takenBytes(): number {
    return this.#open().intake.takenBytes;
  }

  get resumedFromBytes(): number {
    return this.#resumedFromBytes;
  }

  async begin(sha256: string): Promise<boolean> {
    if (this.#part?.sha256 === sha256) return true;
    return this.#disk(async () => {
      await this.#drop();
      const path = newPartPath(this.target, sha256);
      const isAdopted = await adoptPart(this.target, sha256, path);
      await sweepParts(this.target);
      await this.#openPart(path, sha256);
      if (isAdopted) await this.#takeUp();
      return true;
    });
  }

  restart(): Promise<boolean> {
    return this.#disk(async () => {
      const { sha256 } = this.#open();
      await this.#drop();
      await this.#openPart(newPartPath(this.target, sha256), sha256);
      this.#resumedFromBytes = 0;
      return true;
    });
  }

  expect(sizeBytes: number | null): void {
    this.sink.expect(sizeBytes);
  }

  sha256SoFar(): Promise<string> {
    return this.#disk(() => this.sink.sha256SoFar());
  }

  end(): Promise<Findings> {
    return this.#disk(() => this.sink.end());
  }

  /** On disk before it has the name, and the name on disk before anybody is told: a power cut leaves the one or the other. */
  accept(): Promise<void> {
    return this.#disk(async () => {
      const { path, handle } = this.#open();
      const old = await stat(this.target).catch(() => undefined);
      if (old?.isFile()) await handle.chmod(old.mode & 0o7777);
      await handle.sync();
      await rename(path, this.target);
      await this.#close();
      leavePart(path);
      await syncFolder(dirname(this.target));
    });
  }

  async abandon(keep: boolean): Promise<void> {
    if (!keep || this.#part?.intake.takenBytes === 0) return this.#drop();
    const path = this.#part?.path;
    await this.#part?.intake.settled().catch(() => {});
    await this.#close();
    if (path !== undefined) leavePart(path);
  }

  async #openPart(path: string, sha256: string): Promise<void> {
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, NEW_FILE_MODE);
    this.#part = { path, sha256, handle, intake: new Intake(handle, this.#format) };
  }

  async #takeUp(): Promise<void> {
    const { handle, intake } = this.#open();
    await intake.takeFromFile((await handle.stat()).size, this.#signal);
    this.#resumedFromBytes = intake.takenBytes;
  }

  async #drop(): Promise<void> {
    const path = this.#part?.path;
    await this.#close();
    if (path !== undefined) await removePart(path);
  }

  async #close(): Promise<void> {
    const part = this.#part;
    this.#part = undefined;
    await part?.intake.close();
    await part?.handle.close();
  }

  #open(): OpenPart {
    if (!this.#part) throw new Error("no part file is open");
    return this.#part;
  }

  async #disk<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw diskError(this.target, error);
    }
  }
}

/** Not every system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
