import { describe, expect, it } from "vitest";
import { engines } from "../../../../../rigs/harness/service/engines.ts";
import { hashSecret, PlainKey } from "../../../src/domain/access/secret.ts";
import { addVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { planToText } from "../../../src/domain/customers/diff.ts";
import { insertKey, revokeKey } from "../../../src/domain/keys/keys.ts";
import { grantLicence } from "../../../src/domain/licences/licences.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import { createRequest } from "../../../src/domain/requests/requests.ts";
import { NOW } from "../organizations/operator.ts";
import { csv, importerOn, row } from "./importer.ts";

for (const engine of engines) {
  describe(`customers on ${engine.name}`, () => {
    const { opened, operation, run, diff } = importerOn(engine);

    it("are created from a file, and the same file changes nothing when it is imported again", async () => {
      const plain = PlainKey.generate();
      const text = csv(
        row("organization", "A-1", { name: "Acme" }),
        row("licence", "A-1", { family: "vpn_ip", redistribution: "internal", starts: "2027-01-01" }),
        row("account", "A-1", { email: "Ada@Acme.example", name: "Ada", role: "admin" }),
        row("key", "A-1", { name: "ci", scopes: "db.download", create: "true" }),
        row("key", "A-1", { name: "old", scopes: "db.download", key_prefix: plain.prefix, sha256: plain.hash() }),
        row("legacy_key", "A-1", { uuid: "C0FFEE00-aaaa-4bbb-8ccc-ddddeeeefff1", databases: "vpn_ip_v1" }),
      );
      const planned = [
        "+ organization Acme (A-1)",
        "+ licence Acme vpn_ip: redistribution internal, starts 2027-01-01",
        "+ account Acme ada@acme.example: name Ada, role admin",
        "+ key Acme ci: scopes db.download, new secret",
        "+ key Acme old: scopes db.download",
        "+ v1 key Acme v1 key: databases vpn_ip_v1",
      ];
      const before = await opened.dump();
      expect(await diff(text, { isDryRun: true })).toEqual(planned);
      expect(await opened.dump()).toEqual(before);

      const { secrets } = await run(text);
      const created = PlainKey.parse(secrets[0]?.key ?? "");
      expect(secrets).toMatchObject([{ organization: "A-1", organization_name: "Acme", name: "ci" }]);
      const { store } = opened;
      const acme = await store.organizations.byExternalId("A-1");
      for (const each of [plain, created]) {
        expect(await store.keys.bySecret(hashSecret(each?.reveal() ?? ""))).toMatchObject({ organizationId: acme?.id });
      }
      expect(await store.legacyKeys.byHash(hashSecret("c0ffee00aaaa4bbb8cccddddeeeefff1"))).toMatchObject({
        organizationId: acme?.id,
        databaseIds: ["vpn_ip_v1"],
      });
      const entries = await store.audit.list({ limit: 7 });
      expect(entries.map(({ action }) => action)).toEqual([
        "legacy_key.created",
        "key.created",
        "key.created",
        "account.invited",
        "licence.granted",
        "organization.added",
        "customers.imported",
      ]);
      expect(JSON.stringify(entries)).not.toContain(created?.reveal());
      expect(JSON.stringify(entries)).not.toContain(plain.hash());
      // Nobody listens yet.
      expect(await store.events.latest()).toBeUndefined();

      const after = await opened.query("select * from audit");
      expect(await diff(text)).toEqual(["= 6 unchanged"]);
      expect(await opened.query("select * from audit")).toEqual(after);
    });

    it("change where the file differs, and columns that are missing keep their values", async () => {
      await run(
        csv(
          row("organization", "B-1", { name: "Bolt" }),
          row("licence", "B-1", {
            external_id: "L-1",
            family: "vpn_ip",
            redistribution: "evaluation",
            starts: "2027-01-01",
            expires: "2028-01-01",
          }),
          row("account", "B-1", { email: "bo@bolt.example", role: "viewer" }),
          row("key", "B-1", { name: "ci", scopes: "db.download", cidrs: "192.0.2.0/24", create: "true" }),
          row("legacy_key", "B-1", { name: "cron", sha256: hashSecret("b"), databases: "vpn_ip_v1" }),
        ),
      );
      await addVersion(operation(), { id: "vpn_ip_v2", summary: "VPN", formats: ["csvgz"] });
      const text = `kind,organization,external_id,name,family,redistribution,expires,email,role,scopes,create,sha256,databases
organization,B-1,,Bolt AG,,,,,,,,,
licence,B-1,L-1,,vpn_ip,internal,2029-01-01,,,,,,
account,B-1,,,,,,bo@bolt.example,admin,,,,
key,B-1,,ci,,,,,,db.download apikeys.read,true,,
legacy_key,B-1,,cron,,,,,,,,${hashSecret("b")},vpn_ip_v1;vpn_ip_v2
`;
      expect(await diff(text)).toEqual([
        "~ organization Bolt (B-1): name Bolt → Bolt AG",
        "~ licence Bolt AG vpn_ip: redistribution evaluation → internal, expires 2028-01-01 → 2029-01-01",
        "~ account Bolt AG bo@bolt.example: role viewer → admin",
        "~ key Bolt AG ci: scopes db.download → db.download apikeys.read",
        "~ v1 key Bolt AG cron: databases vpn_ip_v1 → vpn_ip_v1 vpn_ip_v2",
      ]);
      const { store } = opened;
      const bolt = await store.organizations.byName("Bolt AG");
      expect(await store.licences.list({ organizationId: bolt?.id })).toMatchObject([
        {
          externalId: "L-1",
          starts: new Date("2027-01-01"),
          expires: new Date("2029-01-01"),
          redistribution: "internal",
        },
      ]);
      expect(await store.keys.list({ organizationId: bolt?.id })).toMatchObject([{ cidrs: ["192.0.2.0/24"] }]);
      const actions = (await store.audit.list({ limit: 6 })).map(({ action }) => action);
      expect(actions).toEqual([
        "legacy_key.updated",
        "key.updated",
        "account.updated",
        "licence.renewed",
        "organization.renamed",
        "customers.imported",
      ]);
      expect(await diff(text)).toEqual(["= 5 unchanged"]);
    });

    it("can have limits and terms, which are changed and recorded as by hand", async () => {
      const columns = "requests_per_minute,downloads_per_day,bytes_per_month,parallel_streams,terms";
      const text = (limits: string, terms: string) => `kind,organization,name,family,redistribution,starts,${columns}
organization,T-1,Tight,,,,${limits},
licence,T-1,,vpn_ip,internal,2027-01-01,,,,,${terms}
`;
      const all = text("60,100,1000000000000000,4", "data-licence@1");
      const before = await opened.dump();
      expect(await diff(all, { isDryRun: true })).toEqual([
        "+ organization Tight (T-1): requests_per_minute 60, downloads_per_day 100, bytes_per_month 1000000000000000, parallel_streams 4",
        "+ licence Tight vpn_ip: redistribution internal, starts 2027-01-01, terms data-licence@1",
      ]);
      expect(await opened.dump()).toEqual(before);
      await run(all);
      const { organizations, licences, audit } = opened.store;
      const { id = "" } = (await organizations.byExternalId("T-1")) ?? {};
      const limits = {
        requests_per_minute: 60,
        downloads_per_day: 100,
        bytes_per_month: 1e15,
        parallel_streams: 4,
      };
      expect(await organizations.byId(id)).toMatchObject({ limits });
      expect(await licences.list({ organizationId: id })).toMatchObject([{ termsId: "data-licence@1" }]);

      const without = `kind,organization,name,family,redistribution,starts
organization,T-1,Tight,,,
licence,T-1,,vpn_ip,internal,2027-01-01
`;
      expect(await diff(without)).toEqual(["= 2 unchanged"]);
      expect(await diff(text(",200,1000000000000000,4", "data-licence@2"))).toEqual([
        "~ organization Tight (T-1): requests_per_minute 60 → none, downloads_per_day 100 → 200",
        "~ licence Tight vpn_ip: terms data-licence@1 → data-licence@2",
      ]);
      expect(await audit.list({ limit: 3 })).toMatchObject([
        { action: "licence.updated", before: { termsId: "data-licence@1" }, after: { termsId: "data-licence@2" } },
        {
          action: "organization.limits_changed",
          subject: id,
          before: limits,
          after: { ...limits, requests_per_minute: null, downloads_per_day: 200 },
        },
        { action: "customers.imported" },
      ]);
      await run(text(",,,", ""));
      expect(await organizations.byId(id)).toMatchObject({ limits: NO_LIMITS });
      expect(await licences.list({ organizationId: id })).toMatchObject([{ termsId: null }]);
    });

    it("that are not in the file are left alone and counted", async () => {
      const other = await addOrganization(operation(), "Other", "O-1");
      await grantLicence(operation(), { organization: other.id, base: "vpn_ip", redistribution: "internal" });
      const before = (await opened.store.organizations.list()).length;
      const plan = await run(csv(row("organization", "O-1", { name: "Other" })));
      expect(plan).toMatchObject({ changes: [], unchanged: 1 });
      expect(plan.left_alone).toEqual({ organization: before - 1, licence: 1, account: 0, key: 0, legacy_key: 0 });
      expect(planToText(plan)).toContain("left alone:");
    });

    it("that exist already are told about new licences and keys, and keep revoked keys revoked", async () => {
      const { id } = await addOrganization(operation(), "Known", "K-1");
      const request = { organizationId: id, name: "ci", scopes: [], cidrs: [], expires: null };
      const { key } = await opened.store.change((tables) => insertKey(tables, operation(), request));
      await revokeKey(operation(), key.id);
      const person = { email: "kim@known.example", name: "Kim" };
      await createRequest(operation(), { organizationId: id, base: "vpn_ip", person, message: "" });
      const text = csv(
        row("licence", "K-1", { family: "vpn_ip", redistribution: "internal", starts: "2027-01-01" }),
        row("key", "K-1", { name: "ci", scopes: "db.download", create: "true" }),
        row("key", "K-1", { name: "new", create: "true" }),
      );
      expect(await diff(text)).toHaveLength(3);
      const events = (await opened.store.events.after(undefined, 1000)).filter((event) => event.organizationId === id);
      expect(events.map(({ type }) => type).slice(-3)).toEqual([
        "licence.granted",
        "access_request.granted",
        "key.created",
      ]);
      expect(await opened.store.requests.list({ organizationId: id })).toMatchObject([{ state: "granted" }]);
      expect(await opened.store.keys.byId(key.id)).toMatchObject({ revoked: NOW, scopes: [] });
    });

    it("keep a licence apart from one of the same family and start with another external id", async () => {
      const licence = (external_id: string, expires: string) =>
        row("licence", "T-1", {
          external_id,
          family: "vpn_ip",
          redistribution: "internal",
          starts: "2027-01-01",
          expires,
        });
      const named = csv(row("organization", "T-1", { name: "Twins" }), licence("T-1-a", "2027-06-01"));
      expect(await diff(named)).toHaveLength(2);
      const both = csv(licence("T-1-a", "2027-06-01"), licence("T-1-b", "2027-12-01"));
      expect(await diff(both)).toEqual([expect.stringMatching(/^\+ licence/), "= 1 unchanged"]);
      expect(await diff(csv(licence("T-1-c", "2028-01-01")))).toEqual([expect.stringMatching(/^\+ licence/)]);
      const [{ id } = { id: "" }] = (await opened.store.organizations.list()).filter(({ name }) => name === "Twins");
      const licences = await opened.store.licences.list({ organizationId: id });
      expect(licences.map(({ externalId }) => externalId).sort()).toEqual(["T-1-a", "T-1-b", "T-1-c"]);
    });

    it("change in batches, each to its own values", async () => {
      const text = (n: number) =>
        csv(
          row("organization", "M-1", { name: `Many ${n}` }),
          row("organization", "M-2", { name: `More ${n}` }),
          ...Array.from({ length: 501 }, (_, day) =>
            row("licence", "M-1", {
              external_id: `L-${day}`,
              family: "vpn_ip",
              redistribution: "internal",
              starts: "2020-01-01",
              expires: new Date(Date.UTC(2027 + n, 0, day + 1)).toISOString(),
            }),
          ),
        );
      await run(text(0));
      expect((await run(text(1))).changes).toHaveLength(503);
      expect(await diff(text(1))).toEqual(["= 503 unchanged"]);
    });
  });
}
