import type { IncomingMessage } from "node:http";

interface Upload {
  /** Disconnects its client and resolves when it has ended. */
  abort(): Promise<void>;
}

const running = new Map<string, Upload>();

/**
 * Runs one upload of a file at a time in this process. A later one aborts the earlier: most often it is the same
 * exporter, whose first connection broke off unnoticed.
 */
export async function exclusiveUpload<T>(file: string, request: IncomingMessage, run: () => Promise<T>): Promise<T> {
  for (let other = running.get(file); other; other = running.get(file)) await other.abort();
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
