import type { ByFormat } from "@dbdepot/contract/formats";
import type { Selectable } from "kysely";
import type { Build, BuildFile } from "../builds/build.ts";
import type { BuildStore } from "../builds/store.ts";
import { isUuid } from "../ids.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./time.ts";

type BuildRow = Selectable<Schema["builds"]>;
type FileRow = Selectable<Schema["build_files"]>;

/** Both engines take at most some 32 thousand parameters in one statement. */
const BUILDS_PER_STATEMENT = 1000;

export function sqlBuilds(db: Queries, revision: () => number): BuildStore {
  const rows = db.selectFrom("builds").selectAll();
  return {
    async insert(build) {
      await db.insertInto("builds").values(toRow(build, revision())).execute();
      const files = toFileRows(build);
      if (files.length > 0) await db.insertInto("build_files").values(files).execute();
    },
    async byId(id) {
      // Strangers ask too (`build=…`), and Postgres has no answer to a NUL.
      if (!isUuid(id)) return undefined;
      const [build] = await withFiles(db, await rows.where("id", "=", id).execute());
      return build;
    },
    async list(versionId) {
      return withFiles(db, await rows.where("version_id", "=", versionId).orderBy("id", "desc").execute());
    },
    async setState(id, { state, published, withdrawn }) {
      await db
        .updateTable("builds")
        .set({
          state,
          revision: revision(),
          ...(published && { published: toTime(published) }),
          ...(withdrawn && { withdrawn: toTime(withdrawn) }),
        })
        .where("id", "=", id)
        .execute();
    },
  };
}

/** Adds their files to builds, many at a time. */
export async function withFiles(db: Queries, rows: readonly BuildRow[]): Promise<Build[]> {
  const filesOf = new Map<string, ByFormat<BuildFile>>(rows.map(({ id }) => [id, {}]));
  for (let first = 0; first < rows.length; first += BUILDS_PER_STATEMENT) {
    const ids = rows.slice(first, first + BUILDS_PER_STATEMENT).map(({ id }) => id);
    const fileRows = await db.selectFrom("build_files").selectAll().where("build_id", "in", ids).execute();
    for (const row of fileRows) Object.assign(filesOf.get(row.build_id) ?? {}, { [row.format]: toFile(row) });
  }
  return rows.map((row) => toBuild(row, filesOf.get(row.id) ?? {}));
}

function toBuild(row: BuildRow, files: ByFormat<BuildFile>): Build {
  return {
    id: row.id,
    versionId: row.version_id,
    state: row.state,
    metadata: Buffer.from(row.metadata),
    updated: row.updated,
    entries: row.entries,
    files,
    created: fromTime(row.created),
    published: fromTime(row.published),
    withdrawn: fromTime(row.withdrawn),
  };
}

function toRow(build: Build, revision: number): BuildRow {
  return {
    id: build.id,
    version_id: build.versionId,
    state: build.state,
    metadata: build.metadata,
    updated: build.updated,
    entries: build.entries,
    created: toTime(build.created),
    published: toTime(build.published),
    withdrawn: toTime(build.withdrawn),
    revision,
  };
}

function toFile(row: FileRow): BuildFile {
  const { md5, sha1, sha256, sha512 } = row;
  return { objectKey: row.object_key, sizeBytes: row.size_bytes, checksums: { md5, sha1, sha256, sha512 } };
}

function toFileRows(build: Build): FileRow[] {
  return Object.entries(build.files).map(([format, file]) => ({
    build_id: build.id,
    format: format as FileRow["format"],
    object_key: file.objectKey,
    size_bytes: file.sizeBytes,
    ...file.checksums,
  }));
}
