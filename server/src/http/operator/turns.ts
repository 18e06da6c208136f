import type { IncomingMessage } from "node:http";

/** Without a byte for so long, the other side is gone, though nobody has said so. */
const IDLE_MS = 5 * 60_000;

interface Turn {
  /** Ends it, and resolves when it is over. */
  cut(): Promise<void>;
}

const underWay = new Map<string, Turn>();

/**
 * One upload of a file at a time in this process. Whoever comes later takes its place: most often the same exporter,
 * whose connection broke off without anybody here having noticed.
 */
export async function inTurn<T>(file: string, request: IncomingMessage, work: () => Promise<T>): Promise<T> {
  for (let other = underWay.get(file); other; other = underWay.get(file)) await other.cut();
  const over = Promise.withResolvers<void>();
  underWay.set(file, {
    cut: () => {
      request.destroy();
      return over.promise;
    },
  });
  request.setTimeout(IDLE_MS, () => request.destroy());
  try {
    return await work();
  } finally {
    request.setTimeout(0);
    underWay.delete(file);
    over.resolve();
  }
}
