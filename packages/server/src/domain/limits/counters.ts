import type { Clock } from "../../platform/primitives/clock.ts";
import { utcDayOf } from "../../platform/primitives/dates.ts";
import { idOf } from "../../platform/primitives/ids.ts";
import { within } from "../../platform/primitives/within.ts";
import { announce } from "../events/events.ts";
import type { Store } from "../store.ts";
import { nearEvents } from "./events.ts";
import {
  add,
  type Consumption,
  dayPeriod,
  decideUse,
  type LimitRefusal,
  type Limits,
  monthPeriod,
  type Period,
  sizeOf,
  type Use,
} from "./limits.ts";
import { Reservations, type Reserved } from "./reservations.ts";

const REFRESH_MS = 10_000;
/** Organizations that have not downloaded for this long are forgotten, and read again when they return. */
const IDLE_MS = 60_000;
/** How long a download waits for the first count. */
const READ_TIMEOUT_MS = 2000;

/** A file that is about to be sent. */
export interface Wanted {
  /** The id of the attempt. */
  id: string;
  /** Undefined if the response does not count. */
  use: Use | undefined;
  /** Whether the API sends the file itself. */
  isStream: boolean;
}

/** A download that was counted before it was granted. Disposing it ends its stream. */
export interface CountedDownload extends Disposable {
  /** Why it exceeds a limit. Nothing was counted then. */
  refusal?: LimitRefusal | undefined;
  /** Waits until the attempt is in the history. Uncounts it if that fails, or if the status is that of a failure. */
  settle(httpStatus: number, recording: Promise<void>): Promise<void>;
}

const UNLIMITED: CountedDownload = { settle: (_status, recording) => recording, [Symbol.dispose]() {} };

/** The amounts that an organization has used on one day, as this process knows it. */
interface Count {
  day: Period;
  /** Counted from the history. */
  today: Consumption;
  /** Bytes of the earlier days of the month, from the usage totals. */
  earlierBytes: number;
  /** Granted by this process, and in the history since the last read of it began. */
  recorded: Consumption;
  /** Granted by this process, and not in the history yet. */
  pending: Consumption;
  /** Resolves when the history was read for the first time, or could not be. */
  loaded: Promise<void>;
  isLoaded: boolean;
  lastUsedMs: number;
  /** The warnings that this process has given. */
  warned: Set<string>;
  /** The counts in the history when a download was refused. */
  atLeast: Consumption;
}

export interface LimitServices {
  store: Pick<Store, "attempts" | "usage" | "limits" | "events" | "change">;
  /** Returns undefined for organizations without limits. */
  limitsOf(organizationId: string): Limits | undefined;
  clock: Clock;
  onFailure(error: unknown): void;
}

/**
 * Counts what organizations with limits download. Each download is reserved in the database until it is in the history. While the
 * database is unreachable, a process decides by what the history had when it was last read, every 10 seconds, and what it has
 * granted since: then processes don't know of each other's grants.
 */
export class LimitCounters {
  readonly #services: LimitServices;
  readonly #reservations: Reservations;
  readonly #counts = new Map<string, Count>();
  readonly #streams = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #warnings = new Set<Promise<void>>();
  #refreshing: Promise<void> | undefined;
  #isFailing = false;

  constructor(services: LimitServices) {
    this.#services = services;
    this.#reservations = new Reservations(services.store.limits, services.clock, services.onFailure);
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing;
    await this.#reservations.stop();
    await Promise.all(this.#warnings);
  }

  /** Counts a download, or says why it would exceed a limit. A promise only if the organization has limits. */
  claim(organizationId: string, wanted: Wanted, now: Date): CountedDownload | Promise<CountedDownload> {
    const limits = this.#services.limitsOf(organizationId);
    return limits ? this.#claim(organizationId, limits, wanted, now) : UNLIMITED;
  }

  /** The number of files that this process sends to an organization. */
  streamsOf(organizationId: string): number {
    return this.#streams.get(organizationId) ?? 0;
  }

  /** The number of organizations in memory. */
  get size(): number {
    return this.#counts.size;
  }

  /** Reads the history of active organizations again, one after the other. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshAll().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #claim(organizationId: string, limits: Limits, wanted: Wanted, now: Date): Promise<CountedDownload> {
    const { use } = wanted;
    const isCountable = limits.downloads_per_day !== null || limits.bytes_per_month !== null;
    let count: Count | undefined;
    let reserved: Reserved | undefined;
    if (isCountable && use) {
      count = this.#countOf(organizationId, now);
      if (!count.isLoaded) await count.loaded;
      reserved = await this.#reserve(organizationId, limits, count, wanted.id, use);
      const refusal = reserved ? reserved.refusal : decideUse(limits, usedOf(count), use);
      if (refusal) return { ...UNLIMITED, refusal };
    }
    const streams = this.streamsOf(organizationId);
    const { parallel_streams: streamsMax } = limits;
    if (wanted.isStream && streamsMax !== null && streams >= streamsMax) {
      if (!reserved?.refusal) reserved?.giveBack();
      return { ...UNLIMITED, refusal: "too_many_streams" };
    }
    if (wanted.isStream) this.#streams.set(organizationId, streams + 1);
    const granted = reserved?.refusal ? undefined : reserved;
    const size: Consumption = use ? sizeOf(use) : { downloads: 0, bytes: 0 };
    if (count) add(count.pending, size, 1);
    let isPending = count !== undefined;
    return {
      settle: async (httpStatus, recording) => {
        await recording;
        if (!count || httpStatus >= 400) return;
        isPending = false;
        add(count.pending, size, -1);
        add(count.recorded, size, 1);
        granted?.settle();
        this.#warn(organizationId, limits, count, now);
      },
      [Symbol.dispose]: () => {
        if (count && isPending) {
          add(count.pending, size, -1);
          granted?.giveBack();
        }
        if (wanted.isStream) this.#endStream(organizationId);
      },
    };
  }

  /** Undefined if the database is unreachable. */
  async #reserve(
    organizationId: string,
    limits: Limits,
    count: Count,
    id: string,
    use: Use,
  ): Promise<Reserved | undefined> {
    const known = decideUse(limits, count.atLeast, use);
    if (known) return { refusal: known, history: count.atLeast };
    if (this.#isFailing) return undefined;
    try {
      const reserved = await this.#reservations.reserve(organizationId, limits, id, use);
      if (reserved.refusal) count.atLeast = reserved.history;
      return reserved;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** Reports once per outage. */
  #fail(error: unknown): void {
    if (!this.#isFailing) this.#services.onFailure(error);
    this.#isFailing = true;
  }

  #endStream(organizationId: string): void {
    const left = this.streamsOf(organizationId) - 1;
    if (left > 0) this.#streams.set(organizationId, left);
    else this.#streams.delete(organizationId);
  }

  #countOf(organizationId: string, now: Date): Count {
    const known = this.#counts.get(organizationId);
    if (known && now < known.day.end) {
      known.lastUsedMs = now.getTime();
      return known;
    }
    const count = known ? nextDay(known, now) : emptyCount(now);
    this.#counts.set(organizationId, count);
    const reading = this.#read(organizationId, count);
    if (!known) {
      count.loaded = reading.then(() => {
        count.isLoaded = true;
      });
    }
    return count;
  }

  async #refreshAll(): Promise<void> {
    const nowMs = this.#services.clock().getTime();
    for (const [organizationId, count] of this.#counts) {
      if (nowMs - count.lastUsedMs > IDLE_MS) this.#counts.delete(organizationId);
      else await this.#read(organizationId, count);
    }
  }

  /** This never fails: without the database, downloads are granted. */
  async #read(organizationId: string, count: Count): Promise<void> {
    const { store, limitsOf, clock } = this.#services;
    const { day } = count;
    const included = { ...count.recorded };
    const monthStart = monthPeriod(day.start).start;
    try {
      const [today, earlier] = await within(
        READ_TIMEOUT_MS,
        Promise.all([
          store.attempts.consumption(organizationId, day.start, day.end),
          store.usage.bytesOf(organizationId, { from: utcDayOf(monthStart), to: utcDayOf(day.start) }),
        ]),
      );
      count.today = today;
      count.earlierBytes = earlier;
      add(count.recorded, included, -1);
      this.#isFailing = false;
    } catch (error) {
      this.#fail(error);
      return;
    }
    const limits = limitsOf(organizationId);
    if (limits) this.#warn(organizationId, limits, count, clock());
  }

  /** Announces that most of a limit is used, in the background and once across all servers. */
  #warn(organizationId: string, limits: Limits, count: Count, now: Date): void {
    if (now >= count.day.end) return;
    const { store, onFailure } = this.#services;
    for (const event of nearEvents(organizationId, limits, usedOf(count), now)) {
      if (count.warned.has(event.occurrence)) continue;
      count.warned.add(event.occurrence);
      const warning = (async () => {
        // A change would make every register refresh.
        const known = await store.events.known([idOf(event.occurrence)]);
        if (known.size === 0) await store.change((tables) => announce(tables, { now }, event));
      })().catch((error) => {
        count.warned.delete(event.occurrence);
        onFailure(error);
      });
      this.#warnings.add(warning);
      void warning.finally(() => this.#warnings.delete(warning));
    }
  }
}

function emptyCount(now: Date): Count {
  return {
    day: dayPeriod(now),
    today: { downloads: 0, bytes: 0 },
    earlierBytes: 0,
    recorded: { downloads: 0, bytes: 0 },
    pending: { downloads: 0, bytes: 0 },
    loaded: Promise.resolve(),
    isLoaded: false,
    lastUsedMs: now.getTime(),
    warned: new Set(),
    atLeast: { downloads: 0, bytes: 0 },
  };
}

/** A new day begins with the bytes of the old one, until they are read again. Downloads begin at 0. */
function nextDay(before: Count, now: Date): Count {
  const isSameMonth = monthPeriod(before.day.start).end > now;
  const bytes = isSameMonth ? usedOf(before).bytes : 0;
  return { ...emptyCount(now), isLoaded: true, today: { downloads: 0, bytes } };
}

function usedOf({ today, earlierBytes, recorded, pending }: Count): Consumption {
  return {
    downloads: today.downloads + recorded.downloads + pending.downloads,
    bytes: earlierBytes + today.bytes + recorded.bytes + pending.bytes,
  };
}
