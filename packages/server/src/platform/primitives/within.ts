import { Unavailable } from "./faults.ts";

/** Waits for a query. Fails with `Unavailable` if it takes longer than the timeout, but does not cancel it. */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const tooSlow = new Unavailable(`the database did not answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => timeout.reject(tooSlow), timeoutMs);
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}
