import { sql } from "kysely";
import { newId } from "../../../platform/primitives/ids.ts";
import type { Migration } from "../connection.ts";

/**
 * One table for the work that processes do in the background, with what was waiting before, and the same columns for claims
 * in the outbox and the usage totals. Servers of the previous version keep using `patch_jobs` and the columns of
 * `build_changes`, which nothing reads any more.
 */
export const jobs: Migration = {
  name: "0028-jobs",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("jobs")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("type", text, (column) => column.notNull())
      .addColumn("subject", text, (column) => column.notNull())
      .addColumn("data", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("attempts", "bigint", (column) => column.notNull())
      .addColumn("due", text, (column) => column.notNull())
      .addColumn("error", text)
      .addColumn("failed", text)
      .addColumn("claimed_by", text)
      .addColumn("claimed_until", text)
      .addUniqueConstraint("jobs_subject", ["type", "subject"])
      .execute();
    await schema.alterTable("outbox").addColumn("claimed_by", text).execute();
    await schema.alterTable("outbox").addColumn("claimed_until", text).execute();
    await schema.alterTable("usage_progress").addColumn("claimed_until", text).execute();

    type Pair = { from: string; to: string; created: string };
    const pairs = await sql<Pair>`
      delete from build_changes where outcome is null
      returning from_build_id as "from", to_build_id as "to", created`.execute(transaction);
    type Patches = { versionId: string; buildId: string; created: string };
    const patches = await sql<Patches>`
      delete from patch_jobs returning version_id as "versionId", build_id as "buildId", queued as created`.execute(
      transaction,
    );
    const waiting = [
      ...pairs.rows.map(({ created, ...data }) => ({
        type: "compare_builds",
        subject: `${data.from} ${data.to}`,
        data,
        created,
      })),
      ...patches.rows.map(({ created, ...data }) => ({ type: "make_patches", subject: data.versionId, data, created })),
    ];
    for (const { type, subject, data, created } of waiting) {
      await sql`insert into jobs (id, type, subject, data, created, attempts, due)
        values (${newId(new Date(created))}, ${type}, ${subject}, ${JSON.stringify(data)}, ${created}, 0, ${created})`.execute(
        transaction,
      );
    }
  },
};
