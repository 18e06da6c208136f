import type { CsvStep } from "@dbdepot/contract/operator/builds";
import { ApiError, errorFrom } from "./api-error.ts";

export type CsvDone = Extract<CsvStep, { stage: "done" }>;

interface CsvOptions {
  onSent: (sentBytes: number) => void;
  onStep: (step: CsvStep) => void;
  signal: AbortSignal;
}

/**
 * Sends a CSV, from which the server creates a build, and reports its progress. Uses XMLHttpRequest, because fetch cannot
 * tell how much has been sent. Aborting deletes everything on the server.
 */
export function exportCsv(url: string, file: Blob, { onSent, onStep, signal }: CsvOptions): Promise<CsvDone> {
  const { promise, resolve, reject } = Promise.withResolvers<CsvDone>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  let read = 0;
  const readSteps = () => {
    const end = request.responseText.lastIndexOf("\n") + 1;
    const lines = request.responseText.slice(read, end).split("\n").filter(Boolean);
    read = end;
    if (request.status === 200) for (const line of lines) take(JSON.parse(line));
  };
  const take = (step: CsvStep) => {
    onStep(step);
    if (step.stage === "done") resolve(step);
    if (step.stage === "failed") reject(new Error(step.faults.join("\n")));
  };
  request.upload.onprogress = ({ loaded }) => onSent(loaded);
  request.onprogress = readSteps;
  request.onload = async () => {
    readSteps();
    const headers = { "x-request-id": request.getResponseHeader("x-request-id") ?? "" };
    // Does nothing if the last line has settled the promise.
    reject(await errorFrom(new Response(request.responseText, { status: request.status, headers })));
  };
  request.onerror = () => reject(new ApiError({ status: 0, rc: "UNREACHABLE" }));
  request.onabort = () => reject(signal.reason);
  request.onloadend = () => signal.removeEventListener("abort", abort);
  signal.addEventListener("abort", abort);
  request.open("POST", url);
  request.setRequestHeader("content-type", "text/csv");
  request.send(file);
  return promise;
}
