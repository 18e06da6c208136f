export interface Progress {
  /** Of the whole file, with what was there from an earlier run. */
  receivedBytes: number;
  totalBytes: number | null;
  resumedFromBytes: number;
}

/** As much of Node's writable streams as is needed here. */
export interface NodeWritable {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
}

export interface DownloadOptions {
  /** A path, or a stream that stays open. */
  to: string | WritableStream<Uint8Array> | NodeWritable;
  /** The build to get, by its id; left out: the current one. */
  build?: string | undefined;
  /** `stream`: from the service itself, for networks that cannot reach the storage. Left out: by link, from the storage. */
  delivery?: "redirect" | "stream" | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Downloaded {
  /** Where it is now; absent for a stream. */
  path?: string;
  sizeBytes: number;
  sha256: string;
  buildId: string | null;
  /** What an earlier run had left, and need not be fetched again. */
  resumedFromBytes: number;
}
