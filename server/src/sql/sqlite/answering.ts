/**
 * What a thread with a SQLite connection is made of. node:sqlite is synchronous, and a commit waits for the disk:
 * on a thread it does so without holding up the requests of the main thread.
 */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

export type ThreadAnswer<Result> = { result: Result } | { fault: { message: string; code: number | undefined } };

const BUSY_TIMEOUT_MS = 15_000;

/** Opens the database, and answers what the main thread asks (thread.ts), one after the other, until it is told to close. */
export function answerRequests<Request, Result>(
  prepare: (database: DatabaseSync) => (request: Request) => Result,
): void {
  const database = new DatabaseSync(workerData.path as string, { timeout: BUSY_TIMEOUT_MS });
  let answer: ((request: Request) => Result) | undefined;
  parentPort?.on("message", (request: Request | "close") => {
    if (request === "close") {
      database.close();
      parentPort?.close();
      return;
    }
    parentPort?.postMessage(
      attempted(() => {
        answer ??= prepared(database, prepare);
        return answer(request as Request);
      }),
    );
  });
}

function prepared<T>(database: DatabaseSync, prepare: (database: DatabaseSync) => T): T {
  database.exec("pragma journal_mode = wal");
  // FULL: a commit is on disk before it is answered, also when the power fails.
  database.exec("pragma synchronous = full");
  database.exec("pragma foreign_keys = on");
  return prepare(database);
}

function attempted<Result>(work: () => Result): ThreadAnswer<Result> {
  try {
    return { result: work() };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    return { fault: { message, code: errcode } };
  }
}
