import type { NoticeTopic } from "@dbdepot/contract/console/notices";
import { describe, expect, it } from "vitest";
import { OWN_BRAND } from "../../../src/domain/brand/brand.ts";
import { afterAttempt } from "../../../src/domain/mail/outgoing-mail.ts";
import { digestMail, shortened } from "../../../src/domain/notices/digest.ts";
import { digestsDueBefore } from "../../../src/domain/notices/recipient.ts";
import { sampleDigest } from "../../../src/domain/notices/sample.ts";

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

describe("The subject of a digest", () => {
  it.each([
    ["short", 10, "short"],
    ["The licence for VPN IP (vpn_ip) ends in 30 days", 24, "The licence for VPN IP…"],
    ["The key “nightly import” expires", 10, "The key…"],
    ["x".repeat(20), 10, `${"x".repeat(9)}…`],
  ])("shortens %j to at most %i characters, at a word", (text, length, shorter) => {
    expect(shortened(text, length)).toBe(shorter);
    expect(shorter.length).toBeLessThanOrEqual(length);
  });

  it("names the most urgent item", () => {
    const subjectOf = (topic?: NoticeTopic) =>
      digestMail({ brand: OWN_BRAND, publicUrl: "https://depot.example" }, "token", sampleDigest(topic)).subject;
    expect(subjectOf("keys")).toBe("The key “old laptop” (dbd_9aB3cD4e) expired on 1 March 2027 (and 1 more)");
    expect(subjectOf("builds")).toBe(
      "Build 019a8c40-11b7-7c52-9f3a-6d0e2b4c8a15 of vpn_ip_v1 was withdrawn (wrong countries)…",
    );
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
