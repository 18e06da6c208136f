import type { Register } from "../../register/register.ts";

const TOTAL_MAX_BYTES = 16 * 1024 * 1024;
const SEEN_MAX = 1000;

interface Kept {
  body: Buffer;
  /** No licence of the organization begins or ends in between. */
  fromMs: number;
  untilMs: number;
}

/**
 * The lists that were sent last, as bytes, for as long as they are right. To put one of 100 families together takes
 * longer than to send it; dashboards and clients that look for news ask again and again. Those who ask once are not
 * kept: where there are more organizations than room, bytes that nobody asks for again would only pile up.
 */
export class ListBodies {
  #register: Register | undefined;
  #revision = -1;
  readonly #kept = new Map<string, Kept>();
  readonly #seen = new Set<string>();
  #totalBytes = 0;

  get(register: Register, organizationId: string, now: Date): Buffer | undefined {
    const nowMs = now.getTime();
    if (register !== this.#register || register.revision !== this.#revision) this.#startAnew(register);
    const kept = this.#kept.get(organizationId);
    return kept && kept.fromMs <= nowMs && nowMs < kept.untilMs ? kept.body : undefined;
  }

  /** Whether this one has asked before. */
  wants(organizationId: string): boolean {
    if (this.#seen.has(organizationId)) return true;
    if (this.#seen.size >= SEEN_MAX) this.#seen.clear();
    this.#seen.add(organizationId);
    return false;
  }

  keep(organizationId: string, body: Buffer, now: Date): void {
    this.#totalBytes += body.length - (this.#kept.get(organizationId)?.body.length ?? 0);
    if (this.#totalBytes > TOTAL_MAX_BYTES) {
      this.#kept.clear();
      this.#totalBytes = body.length;
    }
    const untilMs = this.#register?.nextTurn(organizationId, now) ?? 0;
    this.#kept.set(organizationId, { body, fromMs: now.getTime(), untilMs });
  }

  #startAnew(register: Register): void {
    this.#register = register;
    this.#revision = register.revision;
    this.#kept.clear();
    this.#seen.clear();
    this.#totalBytes = 0;
  }
}
