import type { Selectable } from "kysely";
import type { OfferedPatch, Patch } from "../../domain/patches/patch.ts";
import type { PatchStore } from "../../domain/patches/store.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

type PatchRow = Selectable<Schema["patches"]>;

export function sqlPatches(db: Queries, revision: () => number): PatchStore {
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
  };
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
