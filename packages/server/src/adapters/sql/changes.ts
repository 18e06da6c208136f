import { sql } from "kysely";
import type { ChangeCounts, Outcome } from "../../domain/builds/changes/outcome.ts";
import type { BuildPair, ChangeStore } from "../../domain/builds/changes/store.ts";
import type { Queries } from "./connection.ts";
import { inBatches, toTime, UNCLAIMED } from "./values.ts";

export function sqlChanges(db: Queries): ChangeStore {
  const update = ({ from, to }: BuildPair, by: string) =>
    db
      .updateTable("build_changes")
      .where("to_build_id", "=", to)
      .where("from_build_id", "=", from)
      .where("claimed_by", "=", by);
  return {
    async request({ from, to }, now) {
      await db
        .insertInto("build_changes")
        .values({
          from_build_id: from,
          to_build_id: to,
          created: toTime(now),
          outcome: null,
          added: null,
          removed: null,
          changed: null,
          attempts: 0,
          ...UNCLAIMED,
        })
        .onConflict((conflict) => conflict.columns(["to_build_id", "from_build_id"]).doNothing())
        .execute();
    },
    async find({ from, to }) {
      const row = await db
        .selectFrom("build_changes")
        .select("outcome")
        .where("to_build_id", "=", to)
        .where("from_build_id", "=", from)
        .executeTakeFirst();
      return row?.outcome ? (JSON.parse(row.outcome) as Outcome) : undefined;
    },
    async counts(buildIds) {
      const rows = await inBatches(buildIds, (batch) =>
        db
          .selectFrom("build_changes")
          .innerJoin("builds", (join) =>
            join
              .onRef("builds.id", "=", "build_changes.to_build_id")
              .onRef("builds.previous_build_id", "=", "build_changes.from_build_id"),
          )
          .select(["to_build_id", "added", "removed", "changed"])
          .where("to_build_id", "in", batch)
          .where("added", "is not", null)
          .execute(),
      );
      return new Map(rows.map(({ to_build_id, ...counts }) => [to_build_id, counts as ChangeCounts]));
    },
    async claim({ by, until }, now) {
      const isDue = sql<boolean>`outcome is null and (claimed_until is null or claimed_until <= ${toTime(now)})`;
      const next = await db
        .selectFrom("build_changes")
        .select(["from_build_id", "to_build_id"])
        .where(isDue)
        .orderBy("created", "desc")
        .limit(1)
        .executeTakeFirst();
      if (!next) return undefined;
      const row = await db
        .updateTable("build_changes")
        .set((set) => ({ claimed_by: by, claimed_until: toTime(until), attempts: set("attempts", "+", 1) }))
        .where("to_build_id", "=", next.to_build_id)
        .where("from_build_id", "=", next.from_build_id)
        .where(isDue)
        .returning("attempts")
        .executeTakeFirst();
      return row && { from: next.from_build_id, to: next.to_build_id, attempts: row.attempts };
    },
    async extend(pair, { by, until }) {
      const { numUpdatedRows } = await update(pair, by)
        .set({ claimed_until: toTime(until) })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async release(pair, by) {
      await update(pair, by)
        .set((set) => ({ ...UNCLAIMED, attempts: set("attempts", "-", 1) }))
        .execute();
    },
    async finish(pair, by, outcome) {
      const { added, removed, changed } =
        outcome.state === "compared" ? outcome.changes : { added: null, removed: null, changed: null };
      await update(pair, by)
        .set({ ...UNCLAIMED, outcome: JSON.stringify(outcome), added, removed, changed })
        .execute();
    },
  };
}
