import type { IncomingMessage } from "node:http";

interface Upload {
  /** Disconnects its client and resolves when it has ended. */
  abort(): Promise<void>;
}

const running = new Map<string, Upload>();

/**
 * Runs one upload of a file at a time in this process. A later one aborts the earlier, because it is usually the same
 * exporter after a lost connection.
 */
export async function exclusiveUpload<T>(file: string, request: IncomingMessage, run: () => Promise<T>): Promise<T> {
  await abortUpload(file);
  const ended = Promise.withResolvers<void>();
  running.set(file, {
    abort: () => {
      request.destroy();
      return ended.promise;
    },
  });
  try {
    return await run();
  } finally {
    running.delete(file);
    ended.resolve();
  }
}

/** Disconnects the client that is uploading the file in this process, if any, and waits for the end of the upload. */
export async function abortUpload(file: string): Promise<void> {
  for (let upload = running.get(file); upload; upload = running.get(file)) await upload.abort();
}
