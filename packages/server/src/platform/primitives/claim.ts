import { randomUUID } from "node:crypto";
import type { Clock } from "./clock.ts";

/** After a crash, another process continues after this time. Work that takes longer extends its claim. */
const CLAIM_MS = 60_000;
const EXTEND_MS = 20_000;

/** The right of one of several processes to do some work, and the time until which no other begins it. */
export interface Claim {
  by: string;
  until: Date;
}

/** Returns a function that makes the claims of one process, from the current time on. */
export function claimant(clock: Clock, by: string = randomUUID()): () => Claim {
  return () => ({ by, until: new Date(clock().getTime() + CLAIM_MS) });
}

/** Extends a claim until it is disposed. Failures are ignored: if the claim ends, the result is not recorded. */
export function keepClaimed(extend: () => Promise<unknown>): Disposable {
  return setInterval(() => void extend().catch(() => {}), EXTEND_MS);
}
