import { describe, expect, it } from "vitest";
import { engines } from "../../../../../rigs/harness/service/engines.ts";
import { hashSecret } from "../../../src/domain/access/secret.ts";
import { importCustomers } from "../../../src/domain/customers/import.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import type { BadLines } from "../../../src/platform/primitives/bad-lines.ts";
import { csv, importerOn, row } from "./importer.ts";

for (const engine of engines) {
  describe(`customers on ${engine.name}`, () => {
    const { operation, run, diff, faults } = importerOn(engine);

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
        row("organization", "X-3", { name: "Extra" }),
        row("account", " ", { email: "who@where.example", role: "admin" }),
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
        "20: the name of the organization is the same as on line 2",
        "21: the record does not say which organization it belongs to",
      ]);
    });

    it("cannot have more live keys than allowed, counting those of the same file", async () => {
      const keys = (...names: string[]) =>
        csv(
          row("organization", "Full-1", { name: "Full" }),
          ...names.map((name) => row("key", "Full-1", { name, create: "true" })),
        );
      const importing = (text: string) => {
        const file = { bytes: Buffer.from(text), format: "csv", maxRecords: 1000 } as const;
        return importCustomers({ ...operation(), rules: { maxKeysPerOrganization: 3 } }, file, { isDryRun: false });
      };
      const full = { line: 6, reason: expect.stringContaining('"Full" would have more than 3 live keys') };
      const reasons = async (text: string) =>
        (await importing(text).catch(({ lines }: BadLines) => lines)) as BadLines["lines"];
      expect(await reasons(keys("1", "2", "3", "4"))).toEqual([full]);
      await importing(keys("1", "2"));
      expect(await reasons(keys("1", "2", "3", "4"))).toEqual([full]);
      await importing(keys("1", "2", "3"));
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
  });
}
