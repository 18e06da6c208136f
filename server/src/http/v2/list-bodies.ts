import type { Register } from "../../register/register.ts";

const TOTAL_MAX_BYTES = 32 * 1024 * 1024;
const SEEN_MAX = 1000;

interface Kept {
  body: Buffer;
  /** No licence of the organization begins or ends in between. */
  fromMs: number;
  untilMs: number;
}

/**
 * The lists that were sent last, as bytes, for as long as they are right. To put one of 100 families together takes five
 * times as long as to send it; dashboards and clients that look for news ask again and again. Those who ask once are
 * not kept: where there are more organizations than room, bytes that nobody asks for again would pile up by the
 * hundred megabytes until they are collected.
 */
export class ListBodies {
  #register: Register | undefined;
  #revision = -1;
  readonly #kept = new Map<string, Kept>();
  readonly #seen = new Set<string>();
  #totalBytes = 0;

  of(register: Register, organizationId: string, now: Date, make: () => string): Buffer | string {
    const nowMs = now.getTime();
    if (register !== this.#register || register.revision !== this.#revision) this.#startAnew(register);
    const kept = this.#kept.get(organizationId);
    if (kept && kept.fromMs <= nowMs && nowMs < kept.untilMs) return kept.body;
    if (this.#isNew(organizationId)) return make();
    const body = Buffer.from(make());
    this.#keep(organizationId, { body, fromMs: nowMs, untilMs: register.nextTurn(organizationId, now) });
    return body;
  }

  #startAnew(register: Register): void {
    this.#register = register;
    this.#revision = register.revision;
    this.#kept.clear();
    this.#seen.clear();
    this.#totalBytes = 0;
  }

  #isNew(organizationId: string): boolean {
    if (this.#seen.has(organizationId)) return false;
    if (this.#seen.size >= SEEN_MAX) this.#seen.clear();
    this.#seen.add(organizationId);
    return true;
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
