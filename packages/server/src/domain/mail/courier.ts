import { setTimeout as delay } from "node:timers/promises";
import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import { type Claim, claimant, keepClaimed } from "../../platform/primitives/claim.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { isQuiet, QUIET } from "../backup/quiet.ts";
import type { Store } from "../store.ts";
import {
  afterAttempt,
  MAILS_KEPT_DAYS,
  type Mailer,
  type MailState,
  type MailWriters,
  type OutboxEntry,
  type Settled,
  URGENT_MS,
} from "./outgoing-mail.ts";

const INTERVAL_MS = 5000;
const MAILS_PER_ROUND = 200;
const CONCURRENT_MAILS = 4;
/** How long a response waits for the mail server. */
const PATIENCE_MS = 10_000;

export interface CourierOptions {
  store: Store;
  mailer: Mailer;
  /** Make the contents that are not stored. */
  writers: MailWriters;
  clock: Clock;
  onAttempt(state: MailState): void;
  onFailure(message: string, error: unknown): void;
}

/** The result of an urgent e-mail, for the person who caused it. */
export interface SendResult {
  /** `waiting`: it will be sent later, or is still being sent. */
  state: Exclude<MailState, "sending">;
  /** The answer of the mail server, if it did not accept the e-mail. */
  error: string | null;
}

/** Sends the e-mails in the outbox. Every process of a server that sends e-mail runs one. */
export class MailCourier {
  readonly #options: CourierOptions;
  readonly #claim: () => Claim;
  readonly #loop: BackgroundLoop;
  readonly #urgent = new Set<Promise<unknown>>();

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#claim = claimant(options.clock);
    this.#loop = new BackgroundLoop({
      run: () => this.run(),
      intervalMs: INTERVAL_MS,
      onOutage: (error) => options.onFailure("e-mails could not be sent; retrying", error),
    });
  }

  start(): void {
    this.#loop.startNow();
  }

  /** Waits for the mail server's answers. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.allSettled(this.#urgent);
  }

  /** Attempts the newest e-mail that was written about something. Undefined if there is none. */
  async sendAbout(about: string): Promise<SendResult | undefined> {
    const { store } = this.#options;
    if (await isQuiet(store)) return { state: "failed", error: QUIET };
    const id = await store.mail.latestAbout(about);
    return id === undefined ? undefined : this.sendNow(id);
  }

  /** Attempts an e-mail before it is due. */
  async sendNow(id: string): Promise<SendResult> {
    const { store, clock } = this.#options;
    const settled = await this.#send(id, new Date(clock().getTime() + URGENT_MS));
    // Another process may be sending it.
    const { state = "waiting", error = null } = settled ?? (await store.mail.byId(id)) ?? {};
    return { state: state === "sending" ? "waiting" : state, error };
  }

  /** The same for a response, which must not wait for long. The attempt goes on after that. */
  async sendSoon(about: string): Promise<SendResult | undefined> {
    const waiting: SendResult = { state: "waiting", error: null };
    const attempt = this.sendAbout(about)
      .catch((error) => {
        this.#options.onFailure("an e-mail could not be sent; retrying", error);
        return waiting;
      })
      .finally(() => this.#urgent.delete(attempt));
    this.#urgent.add(attempt);
    const ending = new AbortController();
    const patience = delay(PATIENCE_MS, undefined, { signal: ending.signal, ref: false }).catch(() => {});
    try {
      return await Promise.race([attempt, patience.then(() => waiting)]);
    } finally {
      ending.abort();
    }
  }

  /** Sends what is due. */
  async run(): Promise<void> {
    const { store, clock, onAttempt, onFailure } = this.#options;
    if (await isQuiet(store)) return;
    const now = clock();
    for (const id of await store.mail.abandon(now)) {
      onAttempt("unknown");
      onFailure(`it is unknown whether the e-mail ${id} was sent; it is not sent again`, undefined);
    }
    await store.mail.removeFinished(new Date(now.getTime() - MAILS_KEPT_DAYS * DAY_MS));
    const due = await store.mail.due(now, MAILS_PER_ROUND);
    const worker = async () => {
      for (let id = due.shift(); id !== undefined && !this.#loop.signal.aborted; id = due.shift()) {
        // A mail server that is down must not cost every e-mail an attempt.
        if ((await this.#send(id))?.state === "waiting") due.length = 0;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_MAILS }, worker));
  }

  /** Undefined if it is not due, another process sends it, or it is no longer needed. */
  async #send(id: string, dueBefore?: Date): Promise<Settled | undefined> {
    const { store, mailer, clock, onAttempt, onFailure } = this.#options;
    const entry = await store.mail.begin(id, this.#claim(), clock(), dueBefore);
    if (!entry) return undefined;
    using _ = keepClaimed(() => store.mail.extend(id, this.#claim()));
    const content = entry.content ?? (await this.#write(entry));
    if (!content) {
      await store.mail.drop(id, this.#claim().by);
      return undefined;
    }
    const settled = afterAttempt(entry, await mailer.submit({ ...entry, ...content }), clock());
    await store.mail.settle(id, this.#claim().by, settled);
    onAttempt(settled.state);
    if (settled.state === "failed") onFailure(`gave up on the e-mail ${id}`, new Error(settled.error ?? ""));
    if (settled.state === "unknown") {
      onFailure(
        `it is unknown whether the e-mail ${id} was sent; it is not sent again`,
        new Error(settled.error ?? ""),
      );
    }
    return settled;
  }

  /** A failure before the mail server is called is certain, so the e-mail must not become unknown. */
  async #write(entry: OutboxEntry) {
    const { store, writers, clock } = this.#options;
    try {
      return await writers[entry.kind]?.(entry, store, clock());
    } catch (error) {
      const deferred = { outcome: "deferred", error: (error as Error).message } as const;
      await store.mail.settle(entry.id, this.#claim().by, afterAttempt(entry, deferred, clock()));
      throw error;
    }
  }
}
