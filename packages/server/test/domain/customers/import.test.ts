import { beforeAll, describe, expect, it } from "vitest";
import { engines } from "../../../../../rigs/harness/service/engines.ts";
import { hashSecret, PlainKey } from "../../../src/domain/access/secret.ts";
import { addFamily, addVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { planToText } from "../../../src/domain/customers/diff.ts";
import { type CustomerFormat, importCustomers } from "../../../src/domain/customers/import.ts";
import { insertKey, revokeKey } from "../../../src/domain/keys/keys.ts";
import { grantLicence } from "../../../src/domain/licences/licences.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import { createRequest } from "../../../src/domain/requests/requests.ts";
import { addTerms } from "../../../src/domain/terms/add.ts";
import { BadLines } from "../../../src/platform/primitives/bad-lines.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";

const HEADER =
  "kind,organization,external_id,name,archived,family,redistribution,starts,expires,email,role,scopes,cidrs,create,key_prefix,sha256,uuid,databases";

type Cells = Record<string, string>;

/** A row of CSV, by column. */
function row(kind: string, organization: string, cells: Cells = {}): string {
  return HEADER.split(",")
    .map((name) => ({ kind, organization, ...cells })[name] ?? "")
    .join(",");
}

function csv(...rows: string[]): string {
  return [HEADER, ...rows, ""].join("\n");
}

for (const engine of engines) {
  describe(`customers on ${engine.name}`, () => {
    const { opened, operation } = operatorOn(engine);

    beforeAll(async () => {
      await addFamily(operation(), { base: "vpn_ip", name: "VPN", visibility: "public" });
      await addVersion(operation(), { id: "vpn_ip_v1", summary: "VPN", formats: ["csvgz"] });
      for (const text of ["one", "two"]) await addTerms(operation(), { name: "data-licence", title: "Licence", text });
    });

    async function run(text: string, { format = "csv" as CustomerFormat, isDryRun = false } = {}) {
      const file = { bytes: Buffer.from(text), format, maxRecords: 1000 };
      return (await importCustomers(operation(), file, { isDryRun })).result;
    }

    /** The changes as a diff, without the line about what is left alone. */
    async function diff(text: string, options?: Parameters<typeof run>[1]): Promise<string[]> {
      return planToText(await run(text, options))
        .split("\n")
        .filter((line) => /^[+~=]/.test(line));
    }

    async function faults(text: string, format: CustomerFormat = "csv"): Promise<string[]> {
      const before = await opened.dump();
      const error = await run(text, { format }).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(BadLines);
      expect(await opened.dump()).toEqual(before);
      return (error as BadLines).lines.map(({ line, reason }) => `${line}: ${reason}`);
    }

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

    it("cannot have other limits, or terms that do not exist or have no version", async () => {
      const range = "must be a whole number from 1 to 1000000000000000; an empty value removes the limit";
      const text = `kind,organization,name,requests_per_minute,bytes_per_month,family,redistribution,starts,terms
organization,U-1,Unlimited,0,5E+11,,,,
licence,U-1,,,,vpn_ip,internal,2027-01-01,data-licence@3
licence,U-1,,7,,vpn_ip,internal,2027-02-01,data-licence
organization,U-2,Two,,-1,,,,data-licence@1
`;
      expect(await faults(text)).toEqual([
        `2: requests_per_minute ${range}`,
        `2: bytes_per_month ${range}`,
        expect.stringContaining('3: there are no terms "data-licence@3"'),
        "4: requests_per_minute does not belong to a record of the kind licence",
        expect.stringContaining("4: terms must be a version, like data-licence@2"),
        "5: terms does not belong to a record of the kind organization",
        `5: bytes_per_month ${range}`,
      ]);
      const json = `{ "organizations": [
        { "external_id": "U-1", "name": "U", "requests_per_minute": "60", "downloads_per_day": 1.5, "licences": [
          { "family": "vpn_ip", "redistribution": "internal", "starts": "2027-01-01", "terms": 2 },
          { "family": "vpn_ip", "redistribution": "internal", "starts": "2027-02-01", "terms": "\\u0000@1" }
        ] }
      ] }`;
      expect(await faults(json, "json")).toEqual([
        "2: requests_per_minute must be a number or null",
        `2: downloads_per_day ${range}`,
        "3: terms must be a string or null",
        expect.stringContaining("4: terms must be a version"),
      ]);
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

    it("with faults are not imported, and every fault is reported with its line", async () => {
      await addOrganization(operation(), "Taken");
      await run(
        csv(
          row("organization", "F-1", { name: "First" }),
          row("account", "F-1", { email: "taken@first.example", role: "admin" }),
          row("key", "F-1", { name: "k", key_prefix: "dbd_aaaaaaaa", sha256: hashSecret("first") }),
          row("legacy_key", "F-1", { sha256: hashSecret("legacy"), databases: "vpn_ip_v1" }),
        ),
      );
      const text = csv(
        row("organization", "X-1", { name: "Extra" }),
        row("organization", "X-1", { name: "Extra two" }),
        row("organization", "X-2", { name: "Taken" }),
        row("licence", "X-1", { family: "nope", redistribution: "rent", starts: "2027-02-30" }),
        row("licence", "X-1", { family: "vpn_ip", redistribution: "internal" }),
        row("licence", "X-1", {
          family: "vpn_ip",
          redistribution: "internal",
          starts: "2027-02-01",
          expires: "2027-01-01",
        }),
        row("account", "X-1", { email: "taken@first.example", role: "admin" }),
        row("account", "X-1", { email: "nobody", role: "operator" }),
        row("key", "X-1", { name: "a", scopes: "operator.write", cidrs: "10.0.0.1/8", create: "true" }),
        row("key", "X-1", { name: "b", key_prefix: "dbd_bbbbbbbb", sha256: hashSecret("first") }),
        row("key", "X-1", { name: "c", key_prefix: "dbd_aaaaaaaa", sha256: hashSecret("other") }),
        row("key", "X-1", { name: "d", sha256: "a secret in plain text" }),
        row("key", "X-1", { name: "e", expires: "2020-01-01", create: "true" }),
        row("legacy_key", "X-1", { uuid: "1234", databases: "vpn_ip" }),
        row("legacy_key", "X-1", { sha256: hashSecret("legacy"), databases: "vpn_ip_v1" }),
        row("licence", "X-9", { family: "vpn_ip", redistribution: "internal", starts: "2027-01-01", email: "a@b.c" }),
        row("invoice", "X-1"),
        row("organization", "", { name: "Nobody" }),
      );
      const found = await faults(text);
      expect(found).toEqual([
        "3: the external id of the organization is the same as on line 2",
        expect.stringContaining(
          '4: an organization named "Taken" already exists. If it is the same, run: orgs edit "Taken" --external-id "X-2"',
        ),
        '5: "rent" is not a redistribution: choose from evaluation, internal, redistribute',
        expect.stringContaining('5: starts: "2027-02-30" is not a date'),
        '5: there is no family "nope"',
        expect.stringContaining("6: a licence needs starts or an external_id"),
        expect.stringContaining("7: the licence would end (2027-01-01T00:00:00.000Z) before it starts"),
        expect.stringContaining('8: taken@first.example belongs to the organization "First"'),
        '9: "nobody" is not an e-mail address',
        '9: "operator" is not a role of customers: choose admin or viewer',
        expect.stringContaining("10: operator.write is an operator scope"),
        expect.stringContaining('10: "10.0.0.1/8" has bits set after its prefix'),
        "11: the secret belongs to a key of another organization",
        "12: another key has the prefix dbd_aaaaaaaa",
        "13: sha256 must have 64 hexadecimal digits",
        expect.stringContaining("13: key_prefix is missing"),
        expect.stringContaining("14: the key would expire in the past"),
        "15: the UUID must have 32 hexadecimal digits, with or without dashes",
        expect.stringContaining('15: there is no version "vpn_ip": that is a family'),
        "16: the UUID belongs to a v1 key of another organization",
        expect.stringContaining("17: email does not belong to a record of the kind licence"),
        expect.stringContaining('17: there is no organization with the external id "X-9"'),
        expect.stringContaining("18: the kind must be one of"),
        "19: the external id of the organization is missing",
      ]);
    });

    it("in JSON have the same records, and faults name the line on which the record begins", async () => {
      const text = `{
  "organizations": [
    { "external_id": "J-1", "name": "Json {\\"}",
      "licences": [{ "family": "vpn_ip", "redistribution": "internal", "starts": "2027-01-01" }],
      "accounts": [
        { "email": "jo@json.example", "role": "admin" }
      ],
      "keys": [
        { "name": "ci", "create": true, "scopes": ["db.download"] }
      ],
      "legacy_keys": [{ "uuid": "c0ffee00-aaaa-4bbb-8ccc-ddddeeeefff2", "databases": ["vpn_ip_v1"] }]
    }
  ]
}`;
      expect(await diff(text, { format: "json" })).toHaveLength(5);
      expect(await diff(text, { format: "json" })).toEqual(["= 5 unchanged"]);
      const bad = text.replace('"jo@json.example"', "17").replace('["db.download"]', '["no"], "colour": "red"');
      expect(await faults(bad, "json")).toEqual([
        "6: email must be a string or null",
        "6: email is missing",
        '9: the property "colour" is unknown',
        expect.stringContaining('9: "no" is not a scope'),
      ]);
      expect(await faults(text.replace('"keys":', '"keys"'), "json")).toEqual([
        "8: the file is not valid JSON from here on",
      ]);
      expect(await faults(text.replace("J-1", "J\\u0000"), "json")).toContainEqual(
        expect.stringContaining("3: an external id must be one line"),
      );
    });

    it("cannot have a file with unknown columns, wrong quotes, semicolons or too many rows", async () => {
      expect(await faults("kind,organization,secret\n")).toEqual([expect.stringContaining("1: column 3 is unknown")]);
      expect(await faults("kind;organization;name\n")).toEqual([
        expect.stringContaining("1: the columns are separated"),
      ]);
      expect(await faults("kind,name\n")).toEqual([expect.stringContaining("1: the column organization is missing")]);
      expect(await faults("")).toEqual([expect.stringContaining("1: the file is empty")]);
      expect(await faults('kind,organization,name\norganization,A,"x\n')).toEqual([
        "2: column 16: quote is never closed",
      ]);
      const many = Array.from({ length: 1001 }, (_, n) => `organization,M-${n},M ${n}`);
      expect(await faults(["kind,organization,name", ...many].join("\n"))).toEqual([
        "1002: the file has more than 1000 records: import it in parts",
      ]);
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
