import type { DownloadOptions, Progress } from "../download/options.ts";

export interface MirrorOptions {
  /** The directory of the mirror. */
  directory: string;
  delivery?: DownloadOptions["delivery"];
  /** `never` neither uses patches nor copies them (default: auto). */
  deltas?: DownloadOptions["deltas"];
  signal?: AbortSignal | undefined;
  /** `file` is relative to the directory. */
  onProgress?: ((file: string, progress: Progress) => void) | undefined;
}

export interface MirroredDatabase {
  id: string;
  isChanged: boolean;
  sequence: number;
  buildId: string;
}
