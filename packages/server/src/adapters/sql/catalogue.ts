import type { Selectable } from "kysely";
import type { Family } from "../../domain/catalogue/family.ts";
import type { FamilyStore, VersionStore } from "../../domain/catalogue/store.ts";
import type { Version } from "../../domain/catalogue/version.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toFlag, toTime } from "./values.ts";

export function sqlFamilies(db: Queries, revision: () => number): FamilyStore {
  const rows = db.selectFrom("families").selectAll();
  return {
    async insert(family) {
      await db
        .insertInto("families")
        .values({ ...toFamilyRow(family), revision: revision() })
        .execute();
    },
    async update(family) {
      await db
        .updateTable("families")
        .set({ ...toFamilyRow(family), revision: revision() })
        .where("base", "=", family.base)
        .execute();
    },
    async byBase(base) {
      const row = await rows.where("base", "=", base).executeTakeFirst();
      return row && toFamily(row);
    },
    async list() {
      return (await rows.orderBy("base").execute()).map(toFamily);
    },
  };
}

export function sqlVersions(db: Queries, revision: () => number): VersionStore {
  const rows = db.selectFrom("versions").selectAll();
  return {
    async insert({ id, base, number, summary, formats, currentBuildId, created, archived, recompress, tables }) {
      await db
        .insertInto("versions")
        .values({
          id,
          base,
          number,
          summary,
          formats: JSON.stringify(formats),
          current_build_id: currentBuildId,
          created: toTime(created),
          archived: toTime(archived),
          recompress: toFlag(recompress),
          tables: toFlag(tables),
          revision: revision(),
        })
        .execute();
    },
    async byId(id) {
      const row = await rows.where("id", "=", id).executeTakeFirst();
      return row && toVersion(row);
    },
    async list(base) {
      const found = base === undefined ? rows : rows.where("base", "=", base);
      return (await found.orderBy("base").orderBy("number").execute()).map(toVersion);
    },
    async update({ id, summary, archived, recompress, tables }) {
      await db
        .updateTable("versions")
        .set({
          summary,
          archived: toTime(archived),
          recompress: toFlag(recompress),
          tables: toFlag(tables),
          revision: revision(),
        })
        .where("id", "=", id)
        .execute();
    },
    published: () => publishedVersions(db, -1),
    async setCurrentBuild(id, buildId) {
      await db
        .updateTable("versions")
        .set({ current_build_id: buildId, revision: revision() })
        .where("id", "=", id)
        .execute();
    },
  };
}

/**
 * The versions that changed after this revision and have had a build. Reads one build per version instead of all of
 * them.
 */
export async function publishedVersions(db: Queries, revision: number): Promise<ReadonlySet<string>> {
  const found = await db
    .selectFrom("versions")
    .select("id")
    .where("revision", ">", revision)
    .where(({ or, eb, exists }) =>
      or([
        eb("current_build_id", "is not", null),
        exists(
          eb
            .selectFrom("builds")
            .select("builds.id")
            .whereRef("builds.version_id", "=", "versions.id")
            .where("builds.published", "is not", null),
        ),
      ]),
    )
    .execute();
  return new Set(found.map(({ id }) => id));
}

export function toFamily(row: Selectable<Schema["families"]>): Family {
  return {
    base: row.base,
    name: row.name,
    visibility: row.visibility,
    created: fromTime(row.created),
    archived: fromTime(row.archived),
    open: row.open === 1,
  };
}

function toFamilyRow({ base, name, visibility, created, archived, open }: Family) {
  return { base, name, visibility, created: toTime(created), archived: toTime(archived), open: toFlag(open) };
}

export function toVersion(row: Selectable<Schema["versions"]>): Version {
  return {
    id: row.id,
    base: row.base,
    number: row.number,
    summary: row.summary,
    formats: JSON.parse(row.formats),
    currentBuildId: row.current_build_id,
    created: fromTime(row.created),
    archived: fromTime(row.archived),
    recompress: row.recompress === 1,
    tables: row.tables === 1,
  };
}
