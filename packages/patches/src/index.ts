/**
 * Patches between two builds of the same format. A patch is untrusted: only the digest and the size of the result, which
 * come from the signed manifest or the checksum endpoint, decide whether it is accepted. See docs/decisions.
 */
import { PatchError } from "./patch-error.ts";

export { PatchError, type PatchErrorCode } from "./patch-error.ts";

export type PatchKind = "csvgz" | "mmdb";

export interface PatchHeader {
  kind: PatchKind;
  formatVersion: number;
  /** Hexadecimal, like all digests here. */
  baseSha256: string;
  resultSha256: string;
}

export interface MakeLimits {
  /** Making a patch stops with `too_large` as soon as it exceeds this size. */
  maxPatchBytes: number;
  signal?: AbortSignal;
}

/** What the manifest or the checksum endpoint says about the result. Never take it from the patch. */
export interface ApplyLimits {
  resultBytes: number;
  resultSha256: string;
  signal?: AbortSignal;
}

/**
 * Writes a patch from one file to another of the same format. It is applied once, in memory, before this returns: a patch
 * that exists leads to the result, byte for byte. `patchPath` must not exist; nothing is left there on failure. Occupies
 * its thread for seconds, so run it in a worker. Throws a PatchError.
 */
export async function makePatch(
  _kind: PatchKind,
  _basePath: string,
  _resultPath: string,
  _patchPath: string,
  _limits: MakeLimits,
): Promise<{ bytes: number }> {
  throw new PatchError("unsupported", "patches cannot be made yet");
}

/**
 * Writes the result to `resultPath`, which must not exist, syncs it and verifies its size and digest. Nothing is left there on
 * failure. The base is only read. A csv.gz is processed as a stream; an mmdb occupies the thread and about four times its
 * size in memory. Throws a PatchError.
 */
export async function applyPatch(
  _kind: PatchKind,
  _basePath: string,
  _patchPath: string,
  _resultPath: string,
  _limits: ApplyLimits,
): Promise<void> {
  throw new PatchError("unsupported", "patches cannot be applied yet");
}

/** Reads only the first bytes. Throws a PatchError if the file is not a patch or has an unknown format version. */
export async function readPatchHeader(_patchPath: string): Promise<PatchHeader> {
  throw new PatchError("unsupported", "patches cannot be read yet");
}
