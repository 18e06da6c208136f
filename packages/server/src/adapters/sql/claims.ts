import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { Claim } from "../../platform/primitives/claim.ts";
import type { Queries } from "./connection.ts";
import type { Claimable } from "./schema/columns.ts";
import type { Schema } from "./schema.ts";
import { toTime } from "./values.ts";

/** The tables whose rows are work that one of several processes does. */
type ClaimableTable = {
  [Name in keyof Schema]: Schema[Name] extends Claimable & { id: unknown } ? Name : never;
}[keyof Schema];
type Changes<Name extends ClaimableTable> = {
  [Column in keyof Schema[Name]]?: Schema[Name][Column] | RawBuilder<Schema[Name][Column]>;
};

/** The columns of a row that no process has claimed. */
export const UNCLAIMED = { claimed_by: null, claimed_until: null } satisfies Claimable;

/** Whether no process has claimed a row, or its claim has expired. */
export function isFree(now: Date): RawBuilder<SqlBool> {
  return sql<SqlBool>`(claimed_until is null or claimed_until <= ${toTime(now)})`;
}

/**
 * Claims on the rows of a table. A claim, its extension and its end are one statement each, which checks the claim that is
 * stored: whoever has lost it changes nothing.
 */
export function sqlClaims<Name extends ClaimableTable>(db: Queries, table: Name) {
  type Id = Schema[Name]["id"];
  // Kysely cannot type a query on one of several tables, so this one is about their common columns.
  const rows = db as unknown as Kysely<{ claimable: Claimable & { id: string | number } }>;
  const claimed = (id: Id, by: string) =>
    rows
      .updateTable(table as "claimable")
      .where("id", "=", id)
      .where("claimed_by", "=", by);
  return {
    /** Returns the row, or undefined if it is not due or another process holds it. */
    async claim(id: Id, { by, until }: Claim, now: Date, isDue: RawBuilder<SqlBool>, changes: Changes<Name> = {}) {
      const row = await rows
        .updateTable(table as "claimable")
        .set({ ...changes, claimed_by: by, claimed_until: toTime(until) })
        .where("id", "=", id)
        .where(isFree(now))
        .where(isDue)
        .returningAll()
        .executeTakeFirst();
      return row as Selectable<Schema[Name]> | undefined;
    },
    /** Returns false if the claim has ended. */
    async extend(id: Id, { by, until }: Claim, changes: Changes<Name> = {}): Promise<boolean> {
      const { numUpdatedRows } = await claimed(id, by)
        .set({ ...changes, claimed_until: toTime(until) })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async release(id: Id, by: string, changes: Changes<Name> = {}): Promise<void> {
      await claimed(id, by)
        .set({ ...changes, ...UNCLAIMED })
        .execute();
    },
    /** Removes the row, because its work is done. */
    async finish(id: Id, by: string): Promise<void> {
      await rows
        .deleteFrom(table as "claimable")
        .where("id", "=", id)
        .where("claimed_by", "=", by)
        .execute();
    },
  };
}
