import type { ChangeCounts, Outcome } from "../../domain/builds/changes/outcome.ts";
import type { ChangeStore } from "../../domain/builds/changes/store.ts";
import type { Queries } from "./connection.ts";
import { inBatches, toTime } from "./values.ts";

export function sqlChanges(db: Queries): ChangeStore {
  return {
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
    async save({ from, to }, outcome, now) {
      const { added, removed, changed } =
        outcome.state === "compared" ? outcome.changes : { added: null, removed: null, changed: null };
      const row = { outcome: JSON.stringify(outcome), added, removed, changed };
      await db
        .insertInto("build_changes")
        .values({ from_build_id: from, to_build_id: to, created: toTime(now), attempts: 0, ...row })
        .onConflict((conflict) => conflict.columns(["to_build_id", "from_build_id"]).doUpdateSet(row))
        .execute();
    },
  };
}
