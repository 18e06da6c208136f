import { describe, expect, it } from "vitest";
import { afterAttempt } from "../../../src/domain/notices/outgoing-mail.ts";
import { digestsDueBefore } from "../../../src/domain/notices/recipient.ts";

const at = (time: string) => new Date(`2027-03-${time}Z`);

describe("A digest is due", () => {
  it.each([
    ["02T07:00", 7, "02T00:00"],
    ["02T23:59", 7, "02T00:00"],
    ["03T00:00", 7, "02T07:00"],
    ["03T06:59", 7, "02T07:00"],
    ["03T07:00", 7, "03T00:00"],
    ["03T00:00", 0, "03T00:00"],
  ])("at %s, if it is written at %i o'clock, for people whose last one is older than %s", (now, hour, before) => {
    expect(digestsDueBefore(at(now), hour)).toEqual(at(before));
  });
});

describe("An e-mail", () => {
  const created = at("01T07:00");
  const error = "connection refused";

  it("is sent again with growing delays, and given up after three days", () => {
    const times: string[] = [];
    let now = created;
    for (let attempts = 1; ; attempts += 1) {
      const { state, nextAttempt } = afterAttempt({ created, attempts }, { outcome: "deferred", error }, now);
      if (!nextAttempt) {
        expect(state).toBe("failed");
        break;
      }
      expect(state).toBe("waiting");
      times.push(nextAttempt.toISOString().slice(8, 16));
      now = nextAttempt;
    }
    expect(times.slice(0, 5)).toEqual(["01T07:05", "01T07:20", "01T08:05", "01T10:20", "01T16:20"]);
    expect(times.at(-1)).toBe("04T04:20");
  });

  it("is never sent again if it was accepted or refused, or if nobody knows", () => {
    const entry = { created, attempts: 1 };
    const after = (submission: Parameters<typeof afterAttempt>[1]) => afterAttempt(entry, submission, created);
    expect(after({ outcome: "accepted" })).toEqual({ state: "sent", nextAttempt: null, error: null });
    expect(after({ outcome: "refused", error })).toEqual({ state: "failed", nextAttempt: null, error });
    expect(after({ outcome: "unknown", error })).toEqual({ state: "unknown", nextAttempt: null, error });
  });
});
