import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { actorOf } from "../../../src/domain/access/account.ts";
import { inviteAccount } from "../../../src/domain/accounts/accounts.ts";
import { startSession } from "../../../src/domain/accounts/sessions.ts";
import { acceptTerms } from "../../../src/domain/terms/accept.ts";
import { acceptanceFilter, addTerms, requireTerms } from "../../../src/domain/terms/add.ts";
import { parseTermsId } from "../../../src/domain/terms/terms.ts";
import { acceptanceToWire, listedTerms, termsToOwnWire, termsToWire } from "../../../src/domain/terms/wire.ts";
import { storedOrganization } from "../../adapters/sql/samples.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";

const LATER = new Date(NOW.getTime() + 1000);
const TEXT = "1. Use the data’s rows\r\n\tinside your company.\f\n";

const NO_IDS = ["", "@1", "Data", "data@0", "data@01", "data@1@2", "data@1234567890", "x".repeat(101), " data"];

it.each<[string, ReturnType<typeof parseTermsId>]>([
  ["data-licence", { name: "data-licence", version: undefined }],
  ["data-licence@2", { name: "data-licence", version: 2 }],
  [`${"x".repeat(100)}@123456789`, { name: "x".repeat(100), version: 123_456_789 }],
  ...NO_IDS.map((text): [string, undefined] => [text, undefined]),
])("the id of terms %j is read as %j", (text, expected) => {
  expect(parseTermsId(text)).toEqual(expected);
});

for (const engine of eitherEngine()) {
  describe(`terms on ${engine.name}`, () => {
    const { opened, operation, expectRefused } = operatorOn(engine);
    let count = 0;
    const newName = () => `terms-${++count}`;
    const add = (name: string, text: string, title = "Data licence") =>
      addTerms(operation(), { name, title, text }).then(({ terms }) => terms);

    it("have versions, and the text that was sent", async () => {
      const name = newName();
      const sha256 = hash("sha256", TEXT);
      const fields = { id: `${name}@1`, name, version: 1, title: "Data licence", sizeBytes: 49, sha256, created: NOW };
      const { terms, isNew } = await addTerms(operation(), { name, title: " Data licence\n", text: TEXT });
      expect([terms, isNew]).toEqual([{ ...fields, text: TEXT }, true]);
      const [entry] = await opened.store.audit.list({ limit: 1 });
      expect(entry).toMatchObject({ actor: operation().actor, action: "terms.added", subject: terms.id, before: null });
      expect(entry?.after).toEqual({ ...fields, created: NOW.toISOString() });
      expect(await addTerms(operation(LATER), { name, title: "Other title", text: TEXT })).toEqual({
        terms,
        isNew: false,
      });
      expect(await add(name, "other")).toMatchObject({ id: `${name}@2`, version: 2 });
      // Only the newest version counts.
      expect(await add(name, TEXT)).toMatchObject({ id: `${name}@3`, version: 3 });
      expect(await requireTerms(opened.store, `${name}@1`)).toEqual(terms);
      expect(await requireTerms(opened.store, name)).toMatchObject({ version: 3 });
      for (const unknown of [`${name}@4`, "unknown", "No name"]) {
        await expectRefused(() => requireTerms(opened.store, unknown), "not_found", `there are no terms "${unknown}"`);
      }
    });

    it.each([
      ["a name with capitals", { name: "Data" }, "not a valid name"],
      ["a name with two hyphens in a row", { name: "a--b" }, "not a valid name"],
      ["the name that means none", { name: "none" }, "not a valid name"],
      ["a name of 61 characters", { name: "x".repeat(61) }, "not a valid name"],
      ["an empty title", { title: " " }, "the title of terms"],
      ["a title of 201 characters", { title: "x".repeat(201) }, "the title of terms"],
      ["a title of two lines", { title: "a\nb" }, "the title of terms"],
      ["a title that is no Unicode", { title: "\ud800" }, "the title of terms"],
      ["an empty text", { text: " \n" }, "is empty"],
      ["a text that is too long in UTF-8", { text: "ä".repeat(128 * 1024 + 1) }, "has 262146 bytes: at most 262144"],
      ["a text with a control character", { text: "a\u0000b" }, "control characters"],
      ["a text that is no Unicode", { text: "a\ud800" }, "control characters"],
    ])("are not added with %s", async (_, but, message) => {
      const request = { name: "valid", title: "Title", text: "Text", ...but };
      await expectRefused(() => addTerms(operation(), request), "invalid", message);
    });

    it("may have the longest name, title and text", async () => {
      const name = "x".repeat(60);
      expect(await add(name, "ä".repeat(128 * 1024), "x".repeat(200))).toMatchObject({ sizeBytes: 262_144 });
    });

    /** An admin who is signed in. */
    async function admin() {
      count += 1;
      const organization = await storedOrganization(opened.store);
      const person = { email: `ada_${count}@acme.example`, name: "Ada", organization: organization.id };
      const { account } = await inviteAccount(operation(), undefined, { ...person, role: "admin" });
      const own = { ...operation(), actor: actorOf(account) };
      const { token } = await opened.store.change((tables) =>
        startSession(tables, own, account, { address: "192.0.2.1", userAgent: "Firefox" }, { method: "password" }),
      );
      return { organization, account, sessionHash: token.hash(), own };
    }

    it("are accepted once for an organization, with the text that was read", async () => {
      const terms = await add(newName(), TEXT);
      const { organization, account, sessionHash, own } = await admin();
      const accepting = { terms, sha256: terms.sha256, account, sessionHash, address: "192.0.2.1" };
      await expectRefused(
        () => acceptTerms(own, { ...accepting, sha256: hash("sha256", "other") }),
        "conflict",
        `this is not the text of ${terms.id}`,
      );
      const acceptance = await acceptTerms(own, accepting);
      const others = await add(newName(), TEXT);
      const { organization: _, ...another } = await admin();
      await acceptTerms(another.own, { ...accepting, ...another, terms: others });
      const { id, name, email } = account;
      const who = { accountId: id, name, email, address: "192.0.2.1" };
      const fields = { organizationId: organization.id, termsId: terms.id, sha256: terms.sha256, created: NOW };
      expect(acceptance).toEqual({ id: acceptance.id, ...fields, ...who });
      expect(await acceptTerms({ ...own, now: LATER }, accepting)).toMatchObject({ id: acceptance.id, created: NOW });
      const entries = await opened.store.audit.list({ action: "terms.accepted", limit: 3 });
      const [entry, ...more] = entries.filter(({ subject }) => subject === organization.id);
      expect(more).toEqual([]);
      const after = { id: acceptance.id, ...fields, created: NOW.toISOString(), accountId: id, address: "192.0.2.1" };
      expect(entry).toMatchObject({ actor: own.actor, subject: organization.id, before: null });
      expect(entry?.after).toEqual(after);

      const wire = { id: terms.id, name: terms.name, version: 1, title: "Data licence", sha256: terms.sha256 };
      const created = NOW.toISOString();
      const forOperators = { ...wire, created, size_bytes: 49, created_by: operation().actor, acceptances: 1 };
      expect(await termsToWire(opened.store, terms)).toEqual(forOperators);
      const unknown = { ...terms, id: "unknown@1", acceptances: 0 };
      expect((await listedTerms(opened.store, [unknown]))[0]?.created_by).toBeNull();
      const filter = await acceptanceFilter(opened.store, { org: organization.name, terms: terms.id });
      expect(filter).toEqual({ organizationId: organization.id, terms: { name: terms.name, version: 1 } });
      expect(await acceptanceFilter(opened.store, {})).toEqual({ organizationId: undefined, terms: undefined });
      await expectRefused(() => acceptanceFilter(opened.store, { terms: "unknown" }), "not_found", "no terms");
      const { items } = await opened.store.terms.acceptances(filter, {});
      expect(items.map(acceptanceToWire)).toEqual([
        {
          id: acceptance.id,
          organization_id: organization.id,
          organization_name: organization.name,
          terms: terms.id,
          sha256: terms.sha256,
          account_id: id,
          name: "Ada",
          email,
          address: "192.0.2.1",
          created,
        },
      ]);
      const own2 = { ...wire, created, databases: ["vpn_ip"] };
      expect(termsToOwnWire(terms, ["vpn_ip"], acceptance)).toEqual({
        ...own2,
        acceptance: { name: "Ada", email, created },
      });
      expect(termsToOwnWire(terms, ["vpn_ip"], undefined)).toEqual({ ...own2, acceptance: null });
    });

    it("are not accepted for an organization by the admin of another one", async () => {
      const terms = await add(newName(), TEXT);
      const people = [await admin(), await admin()];
      const acceptances = [];
      for (const { account, sessionHash, own } of people) {
        const accepting = { terms, sha256: terms.sha256, account, sessionHash, address: "192.0.2.1" };
        acceptances.push(await acceptTerms(own, accepting));
      }
      expect(acceptances.map((each) => each.organizationId)).toEqual(people.map(({ organization }) => organization.id));
    });
  });
}
