import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../../api/incoming.ts";
import type { Format } from "../../api/wire.gen.ts";
import { writeAtomically } from "../../atomic-file.ts";
import type { DownloadMethod } from "../../download/options.ts";

/** The record of one downloaded file. */
export interface FileStatus {
  database: string;
  format: Format;
  /** Null if the service does not send build ids. */
  build_id: string | null;
  /** The ETag of the build's metadata, if any. */
  etag: string | null;
  /** Whether this is the format that is downloaded by default. */
  is_preferred: boolean;
  /** The date of the build. */
  updated: string | null;
  sha256: string;
  size_bytes: number;
  modified_ms: number;
  fetched: string;
  /** When the service last confirmed that this is the current build. */
  checked: string;
  /** When the vendor last said that this is the newest build, and until when that holds. Absent without such a statement. */
  current_as_of?: string;
  valid_until?: string;
  /** How the file was obtained, and how many bytes were downloaded for it. Absent in records of earlier versions. */
  method?: DownloadMethod;
  received_bytes?: number;
  /** Why a patch could not be used, if it was tried. */
  patch_failure?: string;
}

/** Patches in a row that could not be used. */
interface PatchFailure {
  since: string;
  count: number;
  message: string;
}

export interface Failure {
  since: string;
  kind: string;
  message: string;
}

/** The record that `sync` keeps for its next run, for `health` and for monitoring. */
export interface Status {
  version: 1;
  service: string;
  written: string;
  /** Files by name. */
  files: Record<string, FileStatus>;
  /** Failures by file name, or by id if the failure was not about a particular file. */
  failures: Record<string, Failure>;
  /** Failed patches by file name. Absent in files of earlier versions. */
  patch_failures?: Record<string, PatchFailure>;
  /** The files that have changed since the hook last succeeded. */
  hook_pending: string[];
}

const STATUS_FILE = ".dbdepot-status.json";

export function statusPath({ statusFile, directory }: { statusFile: string | undefined; directory: string }): string {
  return statusFile ?? join(directory, STATUS_FILE);
}

/** Beside the databases, not in the status file, which can be deleted safely. */
export function trustPath({ directory }: { directory: string }): string {
  return join(directory, ".dbdepot-trust.json");
}

/** Beside the databases, like the trust file: the digest of each file for which the hook last succeeded. */
function hookPath({ directory }: { directory: string }): string {
  return join(directory, ".dbdepot-hook.json");
}

export async function readSeenByHook(o: { directory: string }): Promise<Record<string, unknown>> {
  try {
    const seen: unknown = JSON.parse(await readFile(hookPath(o), "utf8"));
    return isRecord(seen) ? seen : {};
  } catch {
    // Without it, the hook runs once more.
    return {};
  }
}

export async function addSeenByHook(o: { directory: string }, digests: Record<string, string>): Promise<void> {
  const seen = { ...(await readSeenByHook(o)), ...digests };
  await writeAtomically(hookPath(o), `${JSON.stringify(seen, null, 2)}\n`);
}

/** Records made for another service are ignored. */
export async function readStatus(path: string, service?: string): Promise<Status> {
  const empty: Status = { version: 1, service: service ?? "", written: "", files: {}, failures: {}, hook_pending: [] };
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return empty;
    throw error;
  }
  const status = parseStatus(text);
  if (!status) return empty;
  return service === undefined || status.service === service ? status : { ...empty, hook_pending: status.hook_pending };
}

/** Returns undefined if the file is damaged or not a status file. The databases are then compared by their digests. */
function parseStatus(text: string): Status | undefined {
  try {
    const status = JSON.parse(text) as Partial<Status>;
    const { files, failures, hook_pending: pending } = status;
    const isOurs = status.version === 1 && isRecord(files) && isRecord(failures) && Array.isArray(pending);
    return isOurs ? (status as Status) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file atomically, because health probes may read it at any time. */
async function writeStatus(path: string, status: Status): Promise<void> {
  await writeAtomically(path, `${JSON.stringify(status, null, 2)}\n`);
}

/** Applies updates one after another, each to the current file on disk, because another sync may write it too. */
export class StatusFile {
  readonly #path: string;
  readonly #service: string;
  readonly #isReadOnly: boolean;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, service: string, { isReadOnly }: { isReadOnly: boolean }) {
    this.#path = path;
    this.#isReadOnly = isReadOnly;
    this.#service = service;
  }

  read(): Promise<Status> {
    return readStatus(this.#path, this.#service);
  }

  async update(apply: (status: Status) => void): Promise<void> {
    if (this.#isReadOnly) return;
    const update = this.#last.then(async () => {
      const status = await this.read();
      apply(status);
      await writeStatus(this.#path, { ...status, service: this.#service, written: new Date().toISOString() });
    });
    this.#last = update.catch(() => {});
    await update;
  }
}
