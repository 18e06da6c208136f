import { expect, it } from "vitest";
import { endedBefore, type Session, sessionEnd } from "../../../src/domain/access/session.ts";

const HOUR_MS = 3_600_000;

function session(hoursOld: number, hoursIdle: number): Session {
  const [created, lastSeen] = [new Date(0), new Date((hoursOld - hoursIdle) * HOUR_MS)];
  return { id: "1", accountId: "2", created, lastSeen, address: "192.0.2.1", userAgent: "", secondFactor: null };
}

it.each([
  [0, 0, 12],
  [5, 3, 14],
  [30 * 24 - 13, 0, 30 * 24 - 1],
  [30 * 24 - 1, 0, 30 * 24],
  [40 * 24, 0, 30 * 24],
])("a session that is %i hours old and %i hours idle ends %i hours after it began", (old, idle, end) => {
  const subject = session(old, idle);
  expect(sessionEnd(subject)).toEqual(new Date(end * HOUR_MS));
  for (const [now, isEnded] of [
    [new Date(end * HOUR_MS), true],
    [new Date(end * HOUR_MS - 1), false],
  ] as const) {
    const { lastSeen, created } = endedBefore(now);
    expect(subject.lastSeen <= lastSeen || subject.created <= created).toBe(isEnded);
  }
});
