import { DAY_MS } from "../../platform/primitives/dates.ts";
import { idOf } from "../../platform/primitives/ids.ts";
import { announce, type Occurrence } from "../events/events.ts";
import { KEY_NOTICE_DAYS, keyExpiringEvent } from "../keys/events.ts";
import type { Key } from "../keys/key.ts";
import { LICENCE_NOTICE_DAYS, licenceEndedEvent, licenceEndingEvent } from "../licences/events.ts";
import { isLive, type Licence } from "../licences/licence.ts";
import type { Store, Tables } from "../store.ts";

/**
 * How late a reminder may be: long enough for an outage over a weekend. Later, it is not sent any more, so that the
 * first start of a version with reminders doesn't send those of the past.
 */
const LATEST_MS = 3 * DAY_MS;

type OwnedKey = Key & { organizationId: string };
type Readable = Pick<Tables, "licences" | "keys" | "events">;

/** Announces licences and keys that end soon, and licences that have ended. Returns the number of new events. */
export async function announceEnds(store: Pick<Store, "change"> & Readable, now: Date): Promise<number> {
  // Usually there is nothing to do, and a change would make every register refresh.
  if ((await dueEvents(store, now)).length === 0) return 0;
  return store.change(async (tables) => {
    // Checked again, because another server may have announced them and a licence may have been renewed.
    const events = await dueEvents(tables, now);
    for (const event of events) await announce(tables, { now }, event);
    return events.length;
  });
}

/** The reminders that were not announced yet, but are due at a time that may be in the future. */
export async function remindersAt(tables: Readable, time: Date): Promise<(Occurrence & { due: Date })[]> {
  return (await dueEvents(tables, time)).map((event) => {
    const daysLeft = Number(event.data.days_left ?? 0);
    return { ...event, due: new Date(new Date(String(event.data.expires)).getTime() - daysLeft * DAY_MS) };
  });
}

async function dueEvents(tables: Readable, now: Date): Promise<Occurrence[]> {
  const events = (await licencesDue(tables, 0, now)).map(licenceEndedEvent);
  for (const daysLeft of LICENCE_NOTICE_DAYS) {
    for (const licence of await licencesDue(tables, daysLeft, now)) {
      if (!(await isContinued(tables, licence))) events.push(licenceEndingEvent(licence, daysLeft));
    }
  }
  for (const daysLeft of KEY_NOTICE_DAYS) {
    events.push(...(await keysDue(tables, daysLeft, now)).map((key) => keyExpiringEvent(key, daysLeft)));
  }
  const known = await tables.events.known(events.map(({ occurrence }) => idOf(occurrence)));
  return events.filter(({ occurrence }) => !known.has(idOf(occurrence)));
}

async function licencesDue(tables: Readable, daysLeft: number, now: Date): Promise<Licence[]> {
  const { after, before } = endsDue(daysLeft, now);
  const licences = await tables.licences.list({ ending: { now: after, before } });
  return licences.filter(({ created, starts, expires }) =>
    isTimely(expires, daysLeft, created > starts ? created : starts),
  );
}

async function keysDue(tables: Readable, daysLeft: number, now: Date): Promise<OwnedKey[]> {
  const { after, before } = endsDue(daysLeft, now);
  const keys = (await tables.keys.expiring(after, before)).filter(isOwned);
  return keys.filter(({ expires, created }) => isTimely(expires, daysLeft, created));
}

function isOwned(key: Key): key is OwnedKey {
  return key.organizationId !== null;
}

/** A reminder is due for everything that ends between these two times, exclusively. */
function endsDue(daysLeft: number, now: Date): { after: Date; before: Date } {
  const end = now.getTime() + daysLeft * DAY_MS;
  return { after: new Date(end - LATEST_MS), before: new Date(end + 1) };
}

/**
 * False for a licence or key that was already closer to its end when it began: a licence for 14 days has no 30 days
 * left.
 */
function isTimely(end: Date | null, daysLeft: number, began: Date): boolean {
  return end !== null && began.getTime() <= end.getTime() - daysLeft * DAY_MS;
}

/** Whether another licence continues this one, so that its end makes no difference. */
async function isContinued(tables: Pick<Tables, "licences">, licence: Licence): Promise<boolean> {
  const { id, organizationId, base, expires } = licence;
  const licences = await tables.licences.list({ organizationId, base });
  return expires !== null && licences.some((other) => other.id !== id && isLive(other, expires));
}
