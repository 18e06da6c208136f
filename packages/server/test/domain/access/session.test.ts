import { describe, expect, it } from "vitest";
import type { AccountWithOrganization } from "../../../src/domain/access/account.ts";
import { hashSecret } from "../../../src/domain/access/secret.ts";
import {
  endedBefore,
  findSession,
  isSeenAgain,
  type Session,
  sessionEnd,
  userAgentOf,
} from "../../../src/domain/access/session.ts";
import { HOUR_MS } from "../../../src/platform/primitives/dates.ts";

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

describe("findSession", () => {
  const NOW = new Date(10 * HOUR_MS);
  const acme = { id: "acme", name: "Acme", archived: null };
  const ada: AccountWithOrganization = {
    id: "2",
    email: "ada@acme.example",
    name: "Ada",
    role: "viewer",
    organizationId: acme.id,
    organization: acme,
    created: new Date(0),
    lastSignIn: null,
    disabled: null,
  };
  const operator = { ...ada, role: "operator", organizationId: null, organization: null } as const;
  const hash = hashSecret("the token");
  const find = (account: AccountWithOrganization, more: object = {}) =>
    findSession({ byHash: async () => ({ session: session(10, 0), account, ...more }) }, hash, NOW);

  it("returns who is signed in", async () => {
    expect(await find(ada)).toEqual({ session: session(10, 0), account: ada, sessionHash: hash });
    expect(await findSession({ byHash: async () => undefined }, hash, NOW)).toBeUndefined();
  });

  it("refuses ended sessions, disabled accounts and archived organizations", async () => {
    expect(await find(ada, { session: session(10, 12) })).toBeUndefined();
    expect(await find({ ...ada, disabled: new Date(0) })).toBeUndefined();
    expect(await find({ ...ada, organization: { ...acme, archived: new Date(0) } })).toBeUndefined();
  });

  it("lets operators view an organization as its admin, unless it is archived", async () => {
    const viewed = await find(operator, { viewed: acme });
    expect(viewed).toMatchObject({ account: { role: "admin", organizationId: "acme" }, operator });
    const plain = { account: operator, session: session(10, 0), sessionHash: hash };
    expect(await find(operator, { viewed: { ...acme, archived: new Date(0) } })).toEqual(plain);
    expect((await find(ada, { viewed: { ...acme, id: "other" } }))?.account).toEqual(ada);
  });
});

it("stores when a session was last seen once a minute", () => {
  const at = (ms: number) => isSeenAgain(session(0, 0), new Date(ms));
  expect([at(0), at(59_999), at(60_000), at(HOUR_MS)]).toEqual([false, false, true, true]);
});

it("keeps the first 512 characters of a user agent", () => {
  expect(userAgentOf({ address: "", userAgent: "word ".repeat(103) })).toBe("word ".repeat(103).slice(0, 512));
  expect(userAgentOf({ address: "", userAgent: undefined })).toBe("");
});
