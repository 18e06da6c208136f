import { describe, expect, it } from "vitest";
import { PlainKey } from "../../../packages/server/src/domain/access/secret.ts";
import { drawCustomers, unknownKeys } from "../src/data/customers.ts";
import { keyPrefix, keyText } from "../src/data/names.ts";
import { SMALL } from "../src/data/scale.ts";
import { type Row, tables } from "../src/data/tables.ts";

describe("benchmark data", () => {
  const rowsOf: Record<string, Row[]> = {};
  for (const [table, rows] of tables(SMALL)) rowsOf[table] = [...rows];
  const find = (table: string, column: string, value: unknown) => rowsOf[table]?.find((row) => row[column] === value);

  it("has well-formed keys", () => {
    for (const number of [0, 1, 999_999, 1_999_999]) {
      expect(PlainKey.parse(keyText(number))?.prefix).toBe(keyPrefix(number));
    }
  });

  it("has a licence for everything customers request", () => {
    for (const { key, databaseId } of drawCustomers(SMALL, 100, 1)) {
      const secret = find("key_secrets", "hash", PlainKey.parse(key)?.hash());
      const organization = find("keys", "id", secret?.key_id)?.organization_id;
      const base = find("versions", "id", databaseId)?.base;
      expect(rowsOf.licences?.some((row) => row.organization_id === organization && row.base === base)).toBe(true);
    }
  });

  it("does not contain the unknown keys", () => {
    for (const { key } of unknownKeys(SMALL, 100)) {
      expect(find("key_secrets", "hash", PlainKey.parse(key)?.hash())).toBeUndefined();
    }
  });
});
