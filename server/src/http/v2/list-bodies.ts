import type { Register } from "../../register/register.ts";

const TOTAL_MAX_BYTES = 32 * 1024 * 1024;

interface Kept {
  body: Buffer;
  /** No licence of the organization begins or ends in between. */
  fromMs: number;
  untilMs: number;
}

/**
 * The lists that were sent last, as bytes, for as long as they are right. To put one of 100 families together takes five
 * times as long as to send it; dashboards and clients that look for news ask again and again.
 */
export class ListBodies {
  #register: Register | undefined;
  #revision = -1;
  #kept = new Map<string, Kept>();
  #totalBytes = 0;

  of(register: Register, organizationId: string, now: Date, make: () => Buffer): Buffer {
    const nowMs = now.getTime();
    if (register !== this.#register || register.revision !== this.#revision) this.#startAnew(register);
    const kept = this.#kept.get(organizationId);
    if (kept && kept.fromMs <= nowMs && nowMs < kept.untilMs) return kept.body;
    const body = make();
    this.#keep(organizationId, { body, fromMs: nowMs, untilMs: register.nextTurn(organizationId, now) });
    return body;
  }

  #startAnew(register: Register): void {
    this.#register = register;
    this.#revision = register.revision;
    this.#kept.clear();
    this.#totalBytes = 0;
  }

  #keep(organizationId: string, kept: Kept): void {
    this.#totalBytes += kept.body.length - (this.#kept.get(organizationId)?.body.length ?? 0);
    if (this.#totalBytes > TOTAL_MAX_BYTES) {
      this.#kept.clear();
      this.#totalBytes = kept.body.length;
    }
    this.#kept.set(organizationId, kept);
  }
}
