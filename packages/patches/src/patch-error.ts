/**
 * - `aborted`: the signal was triggered.
 * - `too_large`: the patch would exceed its limit. Not worth another attempt with the same files.
 * - `unsupported`: a file has a layout that cannot be reproduced byte for byte, or the patch has a format of a newer version.
 * - `base_mismatch`: the patch was made for another base.
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

/** Runs an action and turns aborts and errors of the file system into PatchErrors. */
export async function asPatchErrors<T>(signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
  try {
    signal?.throwIfAborted();
    return await action();
  } catch (error) {
    // Whatever fails after an abort probably fails because of it.
    if (signal?.aborted) throw new PatchError("aborted", "aborted", { cause: error });
    if (error instanceof PatchError) throw error;
    if (isSystemError(error)) throw new PatchError("io", error.message, { cause: error });
    throw error;
  }
}

/** Passes a stream on. Errors of its content get a code; those of the file system stay as they are. */
export async function* blaming<T>(code: PatchErrorCode, message: string, chunks: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof PatchError || isSystemError(error)) throw error;
    throw new PatchError(code, `${message}: ${(error as Error).message}`, { cause: error });
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
