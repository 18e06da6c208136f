/**
 * - `aborted`: the signal was triggered.
 * - `too_large`: the patch would exceed its limit. Not worth another attempt with the same files.
 * - `unsupported`: a file has a layout that cannot be reproduced byte for byte, or the patch a format of a newer version.
 * - `base_mismatch`: the patch was made for another base, or the base has changed.
 * - `result_mismatch`: the patch leads to another file than the announced one.
 * - `invalid`: the patch is damaged or hostile.
 * - `io`: a file could not be read or written; `cause` is the system's error.
 */
export type PatchErrorCode =
  | "aborted"
  | "too_large"
  | "unsupported"
  | "base_mismatch"
  | "result_mismatch"
  | "invalid"
  | "io";

export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
