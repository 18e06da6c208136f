import type { ByFileKind, FileKind } from "@dbdepot/contract/shared/formats";
import type { Selectable, Updateable } from "kysely";
import type { Build, BuildFile, BuildSummary } from "../../domain/builds/build.ts";
import type { BuildStore } from "../../domain/builds/store.ts";
import { firstIdOf, isUuid } from "../../platform/primitives/ids.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

type BuildRow = Selectable<Schema["builds"]>;
const SUMMARY_COLUMNS = [
  "id",
  "version_id",
  "state",
  "updated",
  "entries",
  "created",
  "published",
  "withdrawn",
  "withdrawn_reason",
] as const satisfies (keyof BuildRow)[];
type SummaryRow = Pick<BuildRow, (typeof SUMMARY_COLUMNS)[number]>;
type FileRow = Selectable<Schema["build_files"]>;

export function sqlBuilds(db: Queries, revision: () => number): BuildStore {
  const rows = db.selectFrom("builds").selectAll();
  const change = (id: string, set: Updateable<Schema["builds"]>) =>
    db
      .updateTable("builds")
      .set({ ...set, revision: revision() })
      .where("id", "=", id)
      .execute();
  return {
    async insert(build, previousBuildId = null) {
      await db
        .insertInto("builds")
        .values(toRow(build, previousBuildId, revision()))
        .execute();
      const files = toFileRows(build);
      if (files.length > 0) await db.insertInto("build_files").values(files).execute();
    },
    async byId(id) {
      // The id may come straight from a URL (`build=…`), and PostgreSQL rejects NUL characters.
      if (!isUuid(id)) return undefined;
      const [build] = await withFiles(db, await rows.where("id", "=", id).execute());
      return build;
    },
    async byIds(ids) {
      return withFiles(db, await inBatches(ids, (batch) => rows.where("id", "in", batch).execute()));
    },
    async list(versionId, { states, updated, before, limit } = {}) {
      let found = db.selectFrom("builds").select(SUMMARY_COLUMNS).where("version_id", "=", versionId);
      if (states) found = found.where("state", "in", states);
      if (updated !== undefined) found = found.where("updated", "=", updated);
      if (before !== undefined) found = found.where("id", "<", before);
      if (limit !== undefined) found = found.limit(limit);
      const summaries = await found.orderBy("id", "desc").execute();
      const filesOf = await filesOfBuilds(db, summaries);
      return summaries.map((row) => toSummary(row, filesOf.get(row.id) ?? {}));
    },
    async setState(id, { state, published, withdrawn, withdrawnReason }) {
      await change(id, {
        state,
        ...(published && { published: toTime(published) }),
        ...(withdrawn && { withdrawn: toTime(withdrawn) }),
        ...(withdrawnReason !== undefined && { withdrawn_reason: withdrawnReason }),
      });
    },
    async addFile(buildId, kind, file, report) {
      await db
        .insertInto("build_files")
        .values(toFileRow(buildId, kind, file, JSON.stringify(report)))
        .execute();
    },
    async setDocument(buildId, document) {
      await change(buildId, { metadata: document });
    },
    async reports(buildId) {
      const files = db.selectFrom("build_files").select(["format", "findings"]).where("build_id", "=", buildId);
      return Object.fromEntries(
        (await files.execute()).flatMap((row) =>
          row.findings === null ? [] : [[row.format, JSON.parse(row.findings)]],
        ),
      );
    },
    async stagedBefore(time) {
      const found = rows.where("state", "=", "staged").where("created", "<", toTime(time));
      return withFiles(db, await found.orderBy("id").execute());
    },
    async discard(id) {
      await db.deleteFrom("build_files").where("build_id", "=", id).execute();
      await db.deleteFrom("build_changes").where("to_build_id", "=", id).execute();
      await db.deleteFrom("builds").where("id", "=", id).execute();
    },
    async lineage(versionId) {
      const columns = ["id", "previous_build_id", "superseded"] as const;
      const found = await db.selectFrom("builds").select(columns).where("version_id", "=", versionId).execute();
      return found.map(({ id, previous_build_id: previousBuildId, superseded }) => ({
        buildId: id,
        previousBuildId,
        superseded: fromTime(superseded),
      }));
    },
    async setSuperseded(id, time) {
      await change(id, { superseded: toTime(time) });
    },
    async handedOutSince(ids, time) {
      const found = await inBatches(ids, (batch) =>
        db
          .selectFrom("attempts")
          .select("build_id")
          .distinct()
          // Ids begin with the time and are indexed, and the history may have millions of rows. But ids run ahead of a
          // clock that was set back, so the time is compared, too.
          .where("id", ">=", firstIdOf(time))
          .where("created", ">=", toTime(time))
          .where("build_id", "in", batch)
          .where("outcome", "=", "ok")
          .execute(),
      );
      return new Set(found.map(({ build_id }) => build_id as string));
    },
    async statesOf(ids) {
      const found = await inBatches(ids, (batch) =>
        db.selectFrom("builds").select(["id", "state"]).where("id", "in", batch).execute(),
      );
      return new Map(found.map(({ id, state }) => [id, state]));
    },
  };
}

export async function withFiles(db: Queries, rows: readonly BuildRow[]): Promise<Build[]> {
  const filesOf = await filesOfBuilds(db, rows);
  return rows.map((row) => ({ ...toSummary(row, filesOf.get(row.id) ?? {}), metadata: Buffer.from(row.metadata) }));
}

/** Loads the files of all builds together. */
async function filesOfBuilds(
  db: Queries,
  rows: readonly SummaryRow[],
): Promise<ReadonlyMap<string, ByFileKind<BuildFile>>> {
  const filesOf = new Map<string, ByFileKind<BuildFile>>(rows.map(({ id }) => [id, {}]));
  const fileRows = await inBatches([...filesOf.keys()], (ids) =>
    db.selectFrom("build_files").selectAll().where("build_id", "in", ids).execute(),
  );
  for (const row of fileRows) Object.assign(filesOf.get(row.build_id) ?? {}, { [row.format]: toFile(row) });
  return filesOf;
}

function toSummary(row: SummaryRow, files: ByFileKind<BuildFile>): BuildSummary {
  return {
    id: row.id,
    versionId: row.version_id,
    state: row.state,
    updated: row.updated,
    entries: row.entries,
    files,
    created: fromTime(row.created),
    published: fromTime(row.published),
    withdrawn: fromTime(row.withdrawn),
    withdrawnReason: row.withdrawn_reason,
  };
}

function toRow(build: Build, previousBuildId: string | null, revision: number): BuildRow {
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
    withdrawn_reason: build.withdrawnReason ?? null,
    previous_build_id: previousBuildId,
    superseded: null,
    revision,
  };
}

function toFile(row: FileRow): BuildFile {
  const { md5, sha1, sha256, sha512 } = row;
  return { objectKey: row.object_key, sizeBytes: row.size_bytes, checksums: { md5, sha1, sha256, sha512 } };
}

function toFileRows(build: Build): FileRow[] {
  return Object.entries(build.files).map(([kind, file]) => toFileRow(build.id, kind as FileKind, file, null));
}

function toFileRow(buildId: string, kind: FileKind, file: BuildFile, findings: string | null): FileRow {
  return {
    build_id: buildId,
    format: kind,
    object_key: file.objectKey,
    size_bytes: file.sizeBytes,
    ...file.checksums,
    findings,
  };
}
