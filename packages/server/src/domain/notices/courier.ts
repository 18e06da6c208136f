import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { Store } from "../store.ts";
import { digestMail, type Letterhead } from "./digest.ts";
import { collectNews } from "./news.ts";
import { type Holdings, newsFor } from "./notice.ts";
import {
  ATTEMPT_MAX_MS,
  afterAttempt,
  MAILS_KEPT_DAYS,
  type MailState,
  type OutgoingMail,
  type Submission,
} from "./outgoing-mail.ts";
import { digestsDueBefore, newRecipient } from "./recipient.ts";

const INTERVAL_MS = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Changes of other people wait for a transaction, so it must be short. */
const PEOPLE_PER_TRANSACTION = 100;
const MAILS_PER_ROUND = 200;
const CONCURRENT_MAILS = 4;

export interface CourierOptions {
  store: Store;
  register: Holdings;
  mailer: { submit(mail: OutgoingMail): Promise<Submission> };
  letterhead(): Letterhead;
  /** The hour of the day, in UTC, at which digests are written. */
  hour: number;
  /** The address that gets access requests at once. Its owner is not told again. */
  operatorMail: string | undefined;
  clock: Clock;
  onAttempt(state: MailState): void;
  onFailure(message: string, error: unknown): void;
}

/** Writes one digest a day for each person who has news, and sends the e-mails in the outbox. Every process runs one. */
export class NoticeCourier {
  readonly #options: CourierOptions;
  readonly #loop: BackgroundLoop;
  /** Once all people have been considered, none is due before the next day or hour. */
  #doneBefore = 0;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#loop = new BackgroundLoop({
      run: () => this.run(),
      intervalMs: INTERVAL_MS,
      onOutage: (error) => options.onFailure("notifications could not be written or sent; retrying", error),
    });
  }

  start(): void {
    this.#loop.startNow();
  }

  /** Waits for the mail server's answers. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Writes the digests that are due, then sends what is due. */
  async run(): Promise<void> {
    await this.#writeDigests();
    await this.#sendMails();
  }

  async #writeDigests(): Promise<void> {
    const { store, register, clock, hour } = this.#options;
    const now = clock();
    const before = digestsDueBefore(now, hour);
    if (before.getTime() <= this.#doneBefore) return;
    if ((await store.notices.due(before, 1)).length > 0) {
      const position = (await store.events.latest()) ?? null;
      // Licences granted before an event must be known before its recipients are chosen.
      if (position && position.revision > register.revision) await register.refresh();
      const notices = (await collectNews(store, register, now)).filter(
        (notice) => !notice.position || (position && notice.position.revision <= position.revision),
      );
      while (!this.#loop.signal.aborted) {
        // Due people are looked up inside the transaction, so that no other process writes to them too.
        const count = await store.change(async (tables) => {
          const people = await tables.notices.due(before, PEOPLE_PER_TRANSACTION);
          for (const { account, recipient = newRecipient(account.id) } of people) {
            const told = account.email === this.#options.operatorMail ? notices.filter(isNoRequest) : notices;
            const sections = newsFor({ account, recipient }, told, register, now);
            if (sections.length > 0) {
              const mail = digestMail(this.#options.letterhead(), recipient.token, sections);
              const envelope = { id: newId(now), accountId: account.id, to: account.email, created: now };
              await tables.notices.insertMail({ ...mail, ...envelope });
            }
            await tables.notices.saveRecipient({
              ...recipient,
              digested: now,
              position: position ?? recipient.position,
            });
          }
          return people.length;
        });
        if (count < PEOPLE_PER_TRANSACTION) break;
      }
    }
    if (!this.#loop.signal.aborted) this.#doneBefore = before.getTime();
  }

  async #sendMails(): Promise<void> {
    const { store, clock, onAttempt, onFailure } = this.#options;
    const now = clock();
    for (const id of await store.notices.abandon(new Date(now.getTime() - ATTEMPT_MAX_MS))) {
      onAttempt("unknown");
      onFailure(`it is unknown whether the e-mail ${id} was sent; it is not sent again`, undefined);
    }
    await store.notices.removeFinished(new Date(now.getTime() - MAILS_KEPT_DAYS * DAY_MS));
    const due = await store.notices.mailsDue(now, MAILS_PER_ROUND);
    const worker = async () => {
      for (let id = due.shift(); id !== undefined && !this.#loop.signal.aborted; id = due.shift()) {
        // A mail server that is down must not cost every e-mail an attempt.
        if ((await this.#send(id)) === "waiting") due.length = 0;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_MAILS }, worker));
  }

  async #send(id: string): Promise<MailState | undefined> {
    const { store, mailer, clock, onAttempt, onFailure } = this.#options;
    const entry = await store.notices.begin(id, clock());
    if (!entry) return undefined;
    const settled = afterAttempt(entry, await mailer.submit(entry), clock());
    await store.notices.settle(id, settled);
    onAttempt(settled.state);
    if (settled.state === "failed") onFailure(`gave up on the e-mail ${id}`, new Error(settled.error ?? ""));
    if (settled.state === "unknown") {
      onFailure(
        `it is unknown whether the e-mail ${id} was sent; it is not sent again`,
        new Error(settled.error ?? ""),
      );
    }
    return settled.state;
  }
}

function isNoRequest({ topic }: { topic: string }): boolean {
  return topic !== "requests";
}
