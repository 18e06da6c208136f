export interface Progress {
  /** Includes bytes left by an earlier run. */
  receivedBytes: number;
  totalBytes: number | null;
  resumedFromBytes: number;
}

/** The part of Node's writable streams that is needed here. */
export interface NodeWritable {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
}

export interface DownloadOptions {
  /** A path, or a stream that is left open. */
  to: string | WritableStream<Uint8Array> | NodeWritable;
  /** The id of the build to download (default: the current build). */
  build?: string | undefined;
  /** The SHA-256 that the file must have. Fails with `untrusted` if the service says otherwise. */
  sha256?: string | undefined;
  /** The size that the file must have. More bytes are never written. */
  sizeBytes?: number | undefined;
  /** False downloads without a manifest although a key is trusted, for callers that have verified it themselves. */
  verify?: boolean | undefined;
  /** Download the sample instead of the full file. It needs no licence. */
  sample?: boolean | undefined;
  /** `redirect`: from object storage. `stream`: from the service, for networks that block storage (default: redirect). */
  delivery?: "redirect" | "stream" | undefined;
  /** `auto` uses patches where possible, if `to` is a path. `never` always downloads the whole file (default: auto). */
  deltas?: "auto" | "never" | undefined;
  /** The path of an earlier build of the file, to which a patch can be applied (default: `to`). */
  base?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Called if the service is still making the patch, before waiting for it. */
  onPatchWait?: (() => void) | undefined;
  /** Called if a patch could not be used. The whole file is downloaded next, an mmdb compressed if possible. */
  onPatchFailure?: ((error: unknown) => void) | undefined;
}

/** How a file was obtained: as a whole, from a patch, or from a compressed copy. */
export type DownloadMethod = "file" | "patch" | "compressed";

export interface Downloaded {
  /** Absent if the file went to a stream. */
  path?: string;
  sizeBytes: number;
  sha256: string;
  buildId: string | null;
  /** The number of bytes that were already on disk from an earlier run. */
  resumedFromBytes: number;
  method: DownloadMethod;
  /** The number of bytes that were downloaded for it, without those from an earlier run. */
  transferredBytes: number;
}
