import { expect, test } from "vitest";
import { PlainKey } from "../../server/src/keys/secret.ts";
import { drawCustomers, drawStrangers } from "../src/data/customers.ts";
import { keyPrefix, keyText } from "../src/data/key-text.ts";
import { KEYS_TO_REVOKE, LARGE, SMALL } from "../src/data/scale.ts";
import { type Row, tables } from "../src/data/tables.ts";

test("keys have the shape of real ones", () => {
  for (const number of [0, 1, 999_999, 1_999_999]) {
    expect(PlainKey.parse(keyText(number))?.prefix).toBe(keyPrefix(number));
  }
});

test("a customer's key is there, and its organization holds the licence for what it asks for", () => {
  const rowsOf = Object.fromEntries([...tables(SMALL)].map(([table, rows]) => [table, [...rows]])) as Record<
    string,
    Row[]
  >;
  const find = (table: string, column: string, value: unknown) => rowsOf[table]?.find((row) => row[column] === value);
  for (const { key, databaseId } of drawCustomers(SMALL, 100, 1)) {
    const secret = find("key_secrets", "hash", PlainKey.parse(key)?.hash());
    const organization = find("keys", "id", secret?.key_id)?.organization_id;
    const base = find("versions", "id", databaseId)?.base;
    expect(rowsOf.licences?.some((row) => row.organization_id === organization && row.base === base)).toBe(true);
  }
  for (const { key } of drawStrangers(SMALL, 100, 1, 1000)) {
    expect(find("key_secrets", "hash", PlainKey.parse(key)?.hash())).toBeUndefined();
  }
});

test("on large data nearly every request has another key, and none of those that get revoked", () => {
  const keys = new Set(drawCustomers(LARGE, 10_000, 1).map(({ key }) => key));
  expect(keys.size).toBeGreaterThan(9900);
  const highest = [...keys].sort().at(-1) ?? "";
  expect(highest < keyText(LARGE.keys - KEYS_TO_REVOKE)).toBe(true);
});
