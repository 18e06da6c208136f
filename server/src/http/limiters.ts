import type { FastifyReply } from "fastify";
import type { RateLimit } from "../settings.ts";
import { RateLimiter, refusedLimit } from "./rate-limit.ts";

type Limited = (reply: FastifyReply) => FastifyReply;

/** The two buckets of a request: its key's, and its address's for keys that were refused. */
export class Limiters {
  readonly #keys: RateLimiter;
  readonly #refusals: RateLimiter;

  constructor(limit: RateLimit) {
    this.#keys = new RateLimiter(limit);
    this.#refusals = new RateLimiter(refusedLimit(limit));
  }

  /** An address that keeps sending refused keys is not listened to for a while. */
  beforeKey(address: string, now: Date): Limited | undefined {
    const waitSeconds = this.#refusals.waitSeconds(address, now.getTime());
    return waitSeconds === 0 ? undefined : (reply) => this.#refusals.send(reply, waitSeconds);
  }

  countRefusal(address: string, now: Date): void {
    this.#refusals.take(address, now.getTime());
  }

  forKey(keyId: string, now: Date): Limited | undefined {
    const nowMs = now.getTime();
    const waitSeconds = this.#keys.waitSeconds(keyId, nowMs);
    if (waitSeconds > 0) return (reply) => this.#keys.send(reply, waitSeconds);
    this.#keys.take(keyId, nowMs);
    return undefined;
  }
}
