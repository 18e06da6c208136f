import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Format } from "../../wire.ts";

/** One file that is kept up to date, as it was when it was last looked at. */
export interface FileStatus {
  database: string;
  format: Format;
  /** Null where the service does not name its builds. */
  build_id: string | null;
  /** Of the metadata that told of this build; null where the service has none. */
  etag: string | null;
  /** Whether it is the format that is fetched when none is named. */
  is_preferred: boolean;
  /** The day of the build. */
  updated: string | null;
  sha256: string;
  size_bytes: number;
  modified_ms: number;
  fetched: string;
  /** When the service last said that this is the newest. */
  checked: string;
}

export interface Failure {
  since: string;
  kind: string;
  message: string;
}

/** What `sync` leaves behind for its next run, for `health` and for whoever looks. */
export interface Status {
  version: 1;
  service: string;
  written: string;
  /** By file name. */
  files: Record<string, FileStatus>;
  /** By file name, or by id where it did not come to a file. */
  failures: Record<string, Failure>;
  /** The files that have changed since the hook last ended well. */
  hook_pending: string[];
}

const STATUS_FILE = ".dbdepot-status.json";

export function statusPath({ statusFile, directory }: { statusFile: string | undefined; directory: string }): string {
  return statusFile ?? join(directory, STATUS_FILE);
}

/** What another service said of its builds means nothing here. */
export async function readStatus(path: string, service?: string): Promise<Status> {
  const empty: Status = { version: 1, service: service ?? "", written: "", files: {}, failures: {}, hook_pending: [] };
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return empty;
    throw error;
  }
  const status = parsed(text);
  if (!status) return empty;
  return service === undefined || status.service === service ? status : { ...empty, hook_pending: status.hook_pending };
}

/** A status that is not ours, or broken, is as good as none: the files are then judged by their digests. */
function parsed(text: string): Status | undefined {
  try {
    const status = JSON.parse(text) as Partial<Status>;
    const { files, failures, hook_pending: pending } = status;
    const isOurs = status.version === 1 && isRecord(files) && isRecord(failures) && Array.isArray(pending);
    return isOurs ? (status as Status) : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** Whole or not at all: probes read it at any moment. */
async function writeStatus(path: string, status: Status): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    const file = await open(draft, "wx", 0o644);
    try {
      await file.writeFile(`${JSON.stringify(status, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Changes the status one change after the other, each on what lies on disk then: another sync may write there too. */
export class StatusBook {
  readonly #path: string;
  readonly #service: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, service: string) {
    this.#path = path;
    this.#service = service;
  }

  read(): Promise<Status> {
    return readStatus(this.#path, this.#service);
  }

  change(apply: (status: Status) => void): Promise<void> {
    const changed = this.#last.then(async () => {
      const status = await this.read();
      apply(status);
      await writeStatus(this.#path, { ...status, service: this.#service, written: new Date().toISOString() });
    });
    this.#last = changed.catch(() => {});
    return changed;
  }
}
