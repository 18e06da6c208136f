import { ApiError, errorFrom } from "./api-error.ts";

export interface UploadOptions {
  onProgress: (sentBytes: number) => void;
  signal: AbortSignal;
}

/** Sends a file with PUT. Uses XMLHttpRequest, because fetch cannot tell how much has been sent. */
export function uploadFile(url: string, file: Blob, { onProgress, signal }: UploadOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  request.upload.onprogress = ({ loaded }) => onProgress(loaded);
  request.onload = async () => {
    if (request.status < 300) return resolve();
    const headers = { "x-request-id": request.getResponseHeader("x-request-id") ?? "" };
    reject(await errorFrom(new Response(request.responseText, { status: request.status, headers })));
  };
  request.onerror = () => reject(new ApiError({ status: 0, rc: "UNREACHABLE" }));
  request.onabort = () => reject(signal.reason);
  request.onloadend = () => signal.removeEventListener("abort", abort);
  signal.throwIfAborted();
  signal.addEventListener("abort", abort);
  request.open("PUT", url);
  request.setRequestHeader("content-type", "application/octet-stream");
  request.send(file);
  return promise;
}
