import { describe, expect, it } from "vitest";
import { Eraser, isPseudonym, newPseudonym } from "../../../src/domain/privacy/person.ts";

const ID = "019a8c40-11b7-7c52-9f3a-6d0e2b4c8a15";
const eraser = new Eraser({ email: "a.da_l@acme.example", accountIds: [ID], names: ["Ada Lovelace", "Will"] }, "P");

describe("a pseudonym", () => {
  it("is different each time, and recognized also as an actor", () => {
    const pseudonym = newPseudonym();
    expect(newPseudonym()).not.toBe(pseudonym);
    expect([pseudonym, `account:${pseudonym}`, "account:ada@acme.example"].map(isPseudonym)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    ["account:a.da_l@acme.example", "account:P"],
    ["Write to A.da_L@Acme.example.", "Write to P."],
    ["ba.da_l@acme.example, a.da_l@acme.example.org and aXda_l@acme.example are others", undefined],
    ["Ada Lovelace asked; the Ada Lovelaces did not", "P asked; the Ada Lovelaces did not"],
    ["Ada and Will will stay", undefined],
    [`account ${ID}`, "account P"],
  ])("replaces the person in %j", (text, expected = text) => {
    expect(eraser.text(text)).toBe(expected);
  });

  it("replaces the person in states, but not the names of other things", () => {
    const state = {
      person: { email: "a.da_l@acme.example", name: "A. Lovelace" },
      message: "Call me",
      key: { id: "k", name: "CI", creator: ID },
      address: "192.0.2.1",
    };
    expect(eraser.state(state)).toEqual({
      person: { email: "P", name: "P" },
      message: "",
      key: { id: "k", name: "CI", creator: "P" },
      address: "192.0.2.1",
    });
  });

  it("removes addresses from entries by the person, and names of passkeys and identities from those about the account", () => {
    expect(eraser.state({ name: "CI", address: "192.0.2.1", host: "ada-laptop" }, { isActor: true })).toEqual({
      name: "CI",
      address: null,
      host: null,
    });
    expect(eraser.state({ name: "Ada's phone", subject: "1234", userAgent: "Safari" }, { isSubject: true })).toEqual({
      name: "P",
      subject: "P",
      userAgent: null,
    });
  });
});
