import { describe, expect, it } from "vitest";
import { isPseudonym, newPseudonym } from "../../../src/domain/access/person.ts";
import { Eraser, type Person } from "../../../src/domain/privacy/person.ts";

const ID = "019a8c40-11b7-7c52-9f3a-6d0e2b4c8a15";
const PERSON: Person = {
  email: "a.da_l@acme.example",
  accountIds: [ID],
  names: ["Ada Lovelace", "Will"],
  organizationIds: [],
  addresses: [],
  keyIds: ["key-1"],
  programKeyIds: [],
  machines: ["ada-pc", "ada-pc.home", "192.0.2.1"],
};
const eraser = new Eraser(PERSON, "P");

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

  it.each([
    ["dbdepot on ada-pc", "dbdepot on P"],
    ["dbdepot on ADA-PC.home", "dbdepot on P"],
    ["dbdepot on ada-pc2 and 192.0.2.10", undefined],
    ["dbdepot on 192.0.2.1", "dbdepot on P"],
  ])("replaces the machine in %j if it is the name of the person's key", (name, expected = name) => {
    expect(eraser.keyName("key-1", name)).toBe(expected);
    expect(eraser.keyName("key-2", name)).toBe(name);
    const data = { id: "key-1", name };
    expect(eraser.state({ body: JSON.stringify({ data }), isCut: false })).toEqual({
      body: JSON.stringify({ data: { id: "key-1", name: expected } }),
      isCut: false,
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
