import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import { newId } from "../../platform/primitives/ids.ts";
import { isQuiet, QUIET } from "../backup/quiet.ts";
import type { Store, Tables } from "../store.ts";
import { digestMail, type Letterhead } from "./digest.ts";
import { collectNews } from "./news.ts";
import { type NoticeRegister, newsFor, toldTo } from "./notice.ts";
import { currentDigest, type PersonalDigest } from "./personal-digest.ts";
import { digestsDueBefore, newRecipient } from "./recipient.ts";

const INTERVAL_MS = 5000;
/** Changes of other people wait for a transaction, so it must be short. */
const PEOPLE_PER_TRANSACTION = 100;

export interface DigestOptions {
  store: Store;
  register: NoticeRegister;
  letterhead(): Letterhead;
  /** The hour of the day, in UTC, at which digests are written. */
  hour: number;
  /** The address that gets access requests at once. Its owner is not told again. */
  operatorMail: string | undefined;
  clock: Clock;
  onFailure(message: string, error: unknown): void;
}

/** Writes one digest a day for each person who has news to the outbox. Every process runs one. */
export class DigestWriter {
  readonly #options: DigestOptions;
  readonly #loop: BackgroundLoop;
  /** Once all people have been considered, none is due before the next day or hour. */
  #doneBefore = 0;

  constructor(options: DigestOptions) {
    this.#options = options;
    this.#loop = new BackgroundLoop({
      run: () => this.run(),
      intervalMs: INTERVAL_MS,
      onOutage: (error) => options.onFailure("notifications could not be written; retrying", error),
    });
  }

  start(): void {
    this.#loop.startNow();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Writes the digests that are due. */
  async run(): Promise<void> {
    const { store, register, clock, hour } = this.#options;
    if (await isQuiet(store)) return;
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
            const told = toldTo(account, notices, this.#options.operatorMail);
            const sections = newsFor({ account, recipient }, told, register, now);
            await this.#write(tables, { account, recipient, sections, position }, now);
          }
          return people.length;
        });
        if (count < PEOPLE_PER_TRANSACTION) break;
      }
    }
    if (!this.#loop.signal.aborted) this.#doneBefore = before.getTime();
  }

  /** Writes what the person has not been told yet, before it is due. Returns the id of the e-mail, if there is any news. */
  async writeNow(idOrEmail: string): Promise<string | undefined> {
    const { store, register, operatorMail, clock } = this.#options;
    if (await isQuiet(store)) throw conflict(QUIET);
    await register.refresh();
    const now = clock();
    return store.change(async (tables) => {
      const digest = await currentDigest({ tables, register, operatorMail }, idOrEmail, now);
      return digest.sections.length === 0 ? undefined : this.#write(tables, digest, now);
    });
  }

  /** Writes a digest to the outbox, unless it is empty. Returns the id of the e-mail. */
  async #write(
    tables: Tables,
    { account, recipient, sections, position }: PersonalDigest,
    now: Date,
  ): Promise<string | undefined> {
    await tables.notices.saveRecipient({ ...recipient, digested: now, position: position ?? recipient.position });
    if (sections.length === 0) return undefined;
    const content = digestMail(this.#options.letterhead(), recipient.token, sections);
    const id = newId(now);
    const { id: accountId, email: to } = account;
    await tables.mail.insert({ id, kind: "digest", accountId, to, about: null, content, created: now }, now);
    return id;
  }
}
