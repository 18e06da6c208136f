import { Unavailable } from "./faults.ts";

/** Waits for an answer of the database. Fails with `Unavailable` if it takes longer, but does not cancel the query. */
export async function answerWithin<T>(timeoutMs: number, answer: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const tooSlow = new Unavailable(`the database did not answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => timeout.reject(tooSlow), timeoutMs);
  return Promise.race([answer, timeout.promise]).finally(() => clearTimeout(timer));
}
