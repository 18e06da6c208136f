import type { Selectable } from "kysely";
import type { SharedFile, TableVersion } from "../../domain/sharing/shared-table.ts";
import type { SharingStore } from "../../domain/sharing/store.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

export function sqlSharing(db: Queries): SharingStore {
  const versions = db.selectFrom("shared_tables").selectAll();
  const files = db.selectFrom("shared_files").selectAll("shared_files");
  return {
    async insertFiles(inserted) {
      if (inserted.length > 0) await db.insertInto("shared_files").values(inserted.map(toFileRow)).execute();
    },
    async insertVersion(version) {
      await db.insertInto("shared_tables").values(toVersionRow(version)).execute();
    },
    async latest(versionId) {
      const newest = versions.where("version_id", "=", versionId).orderBy("number", "desc").limit(1);
      const row = await newest.executeTakeFirst();
      return row && toVersion(row);
    },
    async versions(versionId) {
      return (await versions.where("version_id", "=", versionId).orderBy("number").execute()).map(toVersion);
    },
    async filesOf(buildIds) {
      const rows = await inBatches([...new Set(buildIds)], (batch) =>
        files.where("build_id", "in", batch).where("obsolete", "is", null).orderBy("id").execute(),
      );
      return rows.map(toFile);
    },
    async existing(ids) {
      const rows = await inBatches(ids, (batch) =>
        db.selectFrom("shared_files").select("id").where("id", "in", batch).execute(),
      );
      return new Set(rows.map(({ id }) => id));
    },
    async unneeded() {
      const rows = await files
        .innerJoin("versions", "versions.id", "shared_files.version_id")
        .innerJoin("builds", "builds.id", "shared_files.build_id")
        .leftJoin("shared_tables", (join) =>
          join
            .onRef("shared_tables.version_id", "=", "shared_files.version_id")
            .onRef("shared_tables.number", "=", "shared_files.number"),
        )
        .leftJoin("builds as base", "base.id", "shared_tables.base_build_id")
        .where("shared_files.obsolete", "is", null)
        .where(({ or, eb }) =>
          // Changes contain rows of the build before.
          or([
            eb("versions.tables", "=", 0),
            eb("builds.state", "<>", "published"),
            eb("base.state", "=", "withdrawn"),
          ]),
        )
        .execute();
      return rows.map(toFile);
    },
    async setObsolete(ids, time) {
      await inBatches(ids, (batch) =>
        db
          .updateTable("shared_files")
          .set({ obsolete: toTime(time) })
          .where("id", "in", batch)
          .execute(),
      );
    },
    async obsoleteBefore(time) {
      return (await files.where("obsolete", "<", toTime(time)).orderBy("id").execute()).map(toFile);
    },
    async remove(ids) {
      await inBatches(ids, (batch) => db.deleteFrom("shared_files").where("id", "in", batch).execute());
    },
  };
}

function toVersion(row: Selectable<Schema["shared_tables"]>): TableVersion {
  return {
    versionId: row.version_id,
    number: row.number,
    buildId: row.build_id,
    baseBuildId: row.base_build_id,
    columns: JSON.parse(row.columns),
    noChanges: row.no_changes,
    changeFiles: row.change_files,
    created: fromTime(row.created),
  };
}

function toVersionRow(version: TableVersion): Selectable<Schema["shared_tables"]> {
  return {
    version_id: version.versionId,
    number: version.number,
    build_id: version.buildId,
    base_build_id: version.baseBuildId,
    columns: JSON.stringify(version.columns),
    no_changes: version.noChanges,
    change_files: version.changeFiles,
    created: toTime(version.created),
  };
}

function toFile(row: Selectable<Schema["shared_files"]>): SharedFile {
  return {
    id: row.id,
    versionId: row.version_id,
    buildId: row.build_id,
    content: row.content,
    number: row.number,
    objectKey: row.object_key,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    rows: row.rows,
    created: fromTime(row.created),
    obsolete: fromTime(row.obsolete),
  };
}

function toFileRow(file: SharedFile): Selectable<Schema["shared_files"]> {
  return {
    id: file.id,
    version_id: file.versionId,
    build_id: file.buildId,
    content: file.content,
    number: file.number,
    object_key: file.objectKey,
    size_bytes: file.sizeBytes,
    sha256: file.sha256,
    rows: file.rows,
    created: toTime(file.created),
    obsolete: toTime(file.obsolete),
  };
}
