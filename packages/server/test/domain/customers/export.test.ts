import { readFileSync } from "node:fs";
import { LIMIT_MAX } from "@dbdepot/contract/v2/limits";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { engines, type OpenedStore } from "../../../../../rigs/harness/service/engines.ts";
import { hashSecret, PlainKey } from "../../../src/domain/access/secret.ts";
import { addFamily, addVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { COLUMN_NAMES, columnOf, type RawRecord } from "../../../src/domain/customers/columns.ts";
import { formatCustomersCsv } from "../../../src/domain/customers/csv-file.ts";
import { exportCustomers } from "../../../src/domain/customers/export.ts";
import { importCustomers } from "../../../src/domain/customers/import.ts";
import { customersDocument } from "../../../src/domain/customers/json-file.ts";
import { addTerms } from "../../../src/domain/terms/add.ts";
import { NOW } from "../organizations/operator.ts";

type Values = RawRecord["values"];

/** Names that need quotes, look like formulas, or are not ASCII. */
const anyName = fc
  .string({ unit: fc.constantFrom("a", "B", " ", ",", '"', "'", "=", "-", "ü", "🚀"), minLength: 1, maxLength: 8 })
  .map((text) => text.trim())
  .filter((text) => text !== "");
const anyDay = fc.integer({ min: 0, max: 3 }).map((n) => `202${n + 5}-06-01${n % 2 ? "T12:30:00.250Z" : ""}`);

const anyLicence: fc.Arbitrary<Values> = fc
  .record({
    starts: anyDay,
    hasEnd: fc.boolean(),
    hasExternalId: fc.boolean(),
    redistribution: fc.constantFrom("evaluation", "internal", "redistribute"),
    terms: fc.constantFrom(null, "data-licence@1", "data-licence@2"),
  })
  .map(({ starts, hasEnd, hasExternalId, redistribution, terms }) => ({
    external_id: hasExternalId ? `L ${starts}` : null,
    family: "vpn_ip",
    redistribution,
    starts,
    expires: hasEnd ? "2030-01-01" : null,
    renews_at: hasEnd ? "2029-12-01" : null,
    terms,
  }));

const anyKey: fc.Arbitrary<Values> = fc
  .record({
    name: anyName,
    scopes: fc.subarray(["db.download", "apikeys.read"]),
    isBound: fc.boolean(),
    isOver: fc.boolean(),
  })
  .map(({ name, scopes, isBound, isOver }) => {
    const plain = PlainKey.generate();
    const cidrs = isBound ? ["192.0.2.0/24", "2001:db8::/32"] : [];
    const expires = isOver ? "2021-01-01" : null;
    return { name, scopes, cidrs, expires, key_prefix: plain.prefix, sha256: plain.hash() };
  });

const anyLimit = fc.option(fc.integer({ min: 1, max: LIMIT_MAX }));

const anyCustomer = fc.record({
  name: anyName,
  archived: fc.boolean(),
  limits: fc.record({
    requests_per_minute: anyLimit,
    downloads_per_day: anyLimit,
    bytes_per_month: anyLimit,
    parallel_streams: anyLimit,
  }),
  licences: fc.uniqueArray(anyLicence, { maxLength: 3, selector: ({ starts }) => starts }),
  people: fc.array(fc.record({ name: anyName, role: fc.constantFrom("admin", "viewer") }), { maxLength: 2 }),
  keys: fc.array(anyKey, { maxLength: 2 }),
  legacyKeys: fc.array(anyName, { maxLength: 1 }),
});

const anyCustomers = fc
  .uniqueArray(anyCustomer, { minLength: 1, maxLength: 4, selector: ({ name }) => name })
  .map((customers) =>
    customers.flatMap(
      ({ name, archived, limits, licences, people, keys, legacyKeys }, n): Omit<RawRecord, "line">[] => {
        const organization = `${n % 2 ? "=" : ""}C-${n}`;
        const of = (kind: RawRecord["kind"]) => (values: Values) => ({ kind, organization, values });
        return [
          of("organization")({ name, archived, ...limits }),
          ...licences.map(of("licence")),
          ...people.map((person, i) => ({ ...person, email: `p${n}.${i}@example.com` })).map(of("account")),
          ...keys.map(of("key")),
          ...legacyKeys
            .map((key) => ({ name: key, sha256: hashSecret(`${n}`), databases: ["vpn_ip_v1"] }))
            .map(of("legacy_key")),
        ];
      },
    ),
  );

it("docs/operate/moving-in.md describes every column", () => {
  const page = readFileSync(new URL("../../../../../docs/operate/moving-in.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \|/gm)].map(([, name, kinds]) => [name, kinds]);
  const expected = COLUMN_NAMES.map((name) => [
    name,
    columnOf(name)
      .kinds.map((kind) => `\`${kind}\``)
      .join(", "),
  ]);
  expect(rows).toEqual([["kind", "all"], ["organization", "all"], ...expected]);
});

for (const engine of engines) {
  describe(`an export of customers on ${engine.name}`, () => {
    it("creates the same customers in another database, in both formats, and changes nothing in its own", async () => {
      await fc.assert(
        fc.asyncProperty(anyCustomers, async (records) => {
          const first = await open();
          const second = await open();
          try {
            await load(first, Buffer.from(formatCustomersCsv(records)), "csv");
            const exported = await exportOf(first);
            expect(exported).toHaveLength(records.length);
            for (const record of records) expect(exported).toContainEqual(withAtLeast(record));
            const json = Buffer.from(JSON.stringify(customersDocument(exported)));
            expect(await load(first, json, "json")).toMatchObject({ changes: [], unchanged: records.length });
            await load(second, json, "json");
            expect(await exportOf(second)).toEqual(exported);
            const csv = Buffer.from(formatCustomersCsv(exported));
            expect(await load(second, csv, "csv")).toMatchObject({ changes: [], unchanged: records.length });
          } finally {
            await first.dispose();
            await second.dispose();
          }
        }),
        { numRuns: engine.name === "sqlite" ? 6 : 2 },
      );
    });

    async function open(): Promise<OpenedStore> {
      const opened = await engine.open();
      const operation = { store: opened.store, actor: "test", now: NOW };
      await addFamily(operation, { base: "vpn_ip", name: "VPN", visibility: "public" });
      await addVersion(operation, { id: "vpn_ip_v1", summary: "VPN", formats: ["csvgz"] });
      for (const text of ["one", "two"]) await addTerms(operation, { name: "data-licence", title: "Licence", text });
      return opened;
    }
  });
}

/** A licence without an external id is exported with its own. */
function withAtLeast({ kind, organization, values: { external_id, ...rest } }: Omit<RawRecord, "line">) {
  const values = external_id ? { ...rest, external_id } : rest;
  return { kind, organization, values: expect.objectContaining(values) };
}

async function load({ store }: OpenedStore, bytes: Buffer, format: "csv" | "json") {
  const file = { bytes, format, maxRecords: 1000 };
  return (await importCustomers({ store, actor: "test", now: NOW }, file, { isDryRun: false })).result;
}

async function exportOf({ store }: OpenedStore) {
  return exportCustomers(store, await store.organizations.list());
}
