import type { Selectable } from "kysely";
import type { OfferedPatch, Patch } from "../../domain/patches/patch.ts";
import type { PatchJob, PatchStore } from "../../domain/patches/store.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime, UNCLAIMED } from "./values.ts";

type PatchRow = Selectable<Schema["patches"]>;
type JobRow = Selectable<Schema["patch_jobs"]>;

export function sqlPatches(db: Queries, revision: () => number): PatchStore {
  const dueJobs = (now: Date) =>
    db
      .selectFrom("patch_jobs")
      .selectAll()
      .where((where) => where.or([where("next_attempt", "is", null), where("next_attempt", "<=", toTime(now))]))
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("patch_jobs").select("version_id").where("claimed_until", ">", toTime(now)))),
      )
      .orderBy("queued")
      .orderBy("version_id")
      .limit(1);
  return {
    async insert(patch) {
      await db.insertInto("patches").values(toRow(patch, revision())).execute();
    },
    async ofBuilds(buildIds) {
      const rows = await inBatches(buildIds, (batch) =>
        db.selectFrom("patches").selectAll().where("build_id", "in", batch).orderBy("id").execute(),
      );
      return rows.map(toPatch);
    },
    async supersededBefore(time) {
      const rows = await db
        .selectFrom("patches")
        .innerJoin("builds", "builds.id", "patches.build_id")
        .innerJoin("versions", "versions.id", "patches.version_id")
        .selectAll("patches")
        .where("builds.superseded", "<", toTime(time))
        .where((where) =>
          where.or([
            where("versions.current_build_id", "is", null),
            where("versions.current_build_id", "<>", where.ref("patches.build_id")),
          ]),
        )
        .orderBy("patches.id")
        .execute();
      return rows.map(toPatch);
    },
    async remove(ids) {
      await inBatches(ids, (batch) => db.deleteFrom("patches").where("id", "in", batch).execute());
    },
    async existing(ids) {
      const rows = await inBatches(ids, (batch) =>
        db.selectFrom("patches").select("id").where("id", "in", batch).execute(),
      );
      return new Set(rows.map(({ id }) => id));
    },
    async queue({ versionId, buildId, queued }) {
      const row = { build_id: buildId, queued: toTime(queued), attempts: 0, next_attempt: null, ...UNCLAIMED };
      await db
        .insertInto("patch_jobs")
        .values({ version_id: versionId, ...row })
        .onConflict((conflict) => conflict.column("version_id").doUpdateSet(row))
        .execute();
    },
    async unqueue(versionId) {
      await db.deleteFrom("patch_jobs").where("version_id", "=", versionId).execute();
    },
    async jobs() {
      const rows = await db.selectFrom("patch_jobs").selectAll().orderBy("queued").orderBy("version_id").execute();
      return rows.map(toJob);
    },
    async isDue(now) {
      return (await dueJobs(now).executeTakeFirst()) !== undefined;
    },
    async claim({ by, until }, now) {
      const due = await dueJobs(now).executeTakeFirst();
      if (!due) return undefined;
      const row = await db
        .updateTable("patch_jobs")
        .set((set) => ({
          claimed_by: by,
          claimed_until: toTime(until),
          next_attempt: null,
          attempts: set("attempts", "+", 1),
        }))
        .where("version_id", "=", due.version_id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return toJob(row);
    },
    async extend(job, { by, until }) {
      const { numUpdatedRows } = await claimed(job, by, { claimed_until: toTime(until) });
      return numUpdatedRows > 0n;
    },
    async release(job, by, { attempts, nextAttempt }) {
      await claimed(job, by, { ...UNCLAIMED, attempts, next_attempt: toTime(nextAttempt) });
    },
    async finish({ versionId, buildId }, by) {
      await db
        .deleteFrom("patch_jobs")
        .where("version_id", "=", versionId)
        .where("build_id", "=", buildId)
        .where("claimed_by", "=", by)
        .execute();
    },
  };

  /** Updates the job if this process still holds the claim. */
  function claimed({ versionId, buildId }: PatchJob, by: string, set: Partial<JobRow>) {
    return db
      .updateTable("patch_jobs")
      .set(set)
      .where("version_id", "=", versionId)
      .where("build_id", "=", buildId)
      .where("claimed_by", "=", by)
      .executeTakeFirst();
  }
}

/** The patches to current builds that were made after the revision, or whose build became current after it. */
export async function offeredPatches(db: Queries, revision: number): Promise<OfferedPatch[]> {
  const rows = await db
    .selectFrom("patches")
    .innerJoin("versions", "versions.current_build_id", "patches.build_id")
    .selectAll("patches")
    .where("patches.object_key", "is not", null)
    .where((where) => where.or([where("patches.revision", ">", revision), where("versions.revision", ">", revision)]))
    .execute();
  return rows.map(toPatch).filter((patch): patch is OfferedPatch => patch.file !== null);
}

function toPatch(row: PatchRow): Patch {
  const { object_key: objectKey, size_bytes: sizeBytes, sha256 } = row;
  const isOffered = objectKey !== null && sizeBytes !== null && sha256 !== null;
  return {
    id: row.id,
    versionId: row.version_id,
    format: row.format,
    buildId: row.build_id,
    baseBuildId: row.base_build_id,
    baseSha256: row.base_sha256,
    file: isOffered ? { objectKey, sizeBytes, sha256 } : null,
    reason: row.reason,
    durationMs: row.duration_ms,
    created: fromTime(row.created),
  };
}

function toRow(patch: Patch, revision: number): PatchRow {
  return {
    id: patch.id,
    revision,
    version_id: patch.versionId,
    build_id: patch.buildId,
    base_build_id: patch.baseBuildId,
    format: patch.format,
    base_sha256: patch.baseSha256,
    object_key: patch.file?.objectKey ?? null,
    size_bytes: patch.file?.sizeBytes ?? null,
    sha256: patch.file?.sha256 ?? null,
    reason: patch.reason,
    duration_ms: patch.durationMs,
    created: toTime(patch.created),
  };
}

function toJob(row: JobRow): PatchJob {
  const { claimed_by: by, claimed_until: until } = row;
  return {
    versionId: row.version_id,
    buildId: row.build_id,
    queued: fromTime(row.queued),
    attempts: row.attempts,
    nextAttempt: fromTime(row.next_attempt),
    claim: by !== null && until !== null ? { by, until: fromTime(until) } : null,
  };
}
