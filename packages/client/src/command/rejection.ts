import { DbdepotError } from "../errors.ts";

/** Says why the service rejected a request: its response says only INVALID_REQUEST. */
export async function explainRejection<T>(call: Promise<T>, reason: () => string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof DbdepotError) || error.rc !== "INVALID_REQUEST") throw error;
    const { kind, rc, requestId } = error;
    throw new DbdepotError(kind, `the service rejected the request (400 ${rc}): ${reason()}`, {
      status: 400,
      rc,
      requestId,
    });
  }
}
