import type { OwnLicence } from "@dbdepot/contract/console/licences";
import { DAY_MS } from "../../components/relative-time.ts";

export const SOON_DAYS = 90;

type EventKind = "ends" | "starts" | "renews" | "notice";

export interface LicenceEvent {
  kind: EventKind;
  time: string;
  licence: OwnLicence;
}

/** Lists the starts, ends, renewals and notice dates of the next months, in order. */
export function upcomingEvents(licences: readonly OwnLicence[], now = Date.now()): LicenceEvent[] {
  const events = licences.flatMap((licence): LicenceEvent[] => {
    const { state, starts, expires, renews_at, notice_due_at } = licence;
    if (state === "ended") return [];
    const dates: [EventKind, string | null][] = [
      ["starts", state === "upcoming" ? starts : null],
      ["ends", isContinued(licence, licences) ? null : expires],
      ["renews", renews_at],
      ["notice", notice_due_at],
    ];
    return dates.flatMap(([kind, time]) => (time && isSoon(time, now) ? [{ kind, time, licence }] : []));
  });
  return events.sort((one, other) => Date.parse(one.time) - Date.parse(other.time));
}

function isSoon(time: string, now: number): boolean {
  const days = (Date.parse(time) - now) / DAY_MS;
  return days >= 0 && days < SOON_DAYS;
}

/** Whether another licence for the same family takes over without a gap. */
function isContinued({ id, base, expires }: OwnLicence, licences: readonly OwnLicence[]): boolean {
  if (expires === null) return false;
  return licences.some(
    (other) =>
      other.id !== id &&
      other.base === base &&
      Date.parse(other.starts) <= Date.parse(expires) &&
      (other.expires === null || Date.parse(other.expires) > Date.parse(expires)),
  );
}
