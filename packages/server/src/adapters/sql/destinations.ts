import type { DestinationSort } from "@dbdepot/contract/operator/destinations";
import { type Selectable, sql } from "kysely";
import type {
  Access,
  BucketDelivery,
  DeliveredBuild,
  DeliveredDatabase,
  Destination,
} from "../../domain/destinations/destination.ts";
import type { DestinationStore } from "../../domain/destinations/store.ts";
import type { Queries } from "./connection.ts";
import { oldRows } from "./old-rows.ts";
import { type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

type Row = Schema["destinations"];

/** Ids begin with the time of creation. */
const ID = sql.ref<string>("destinations.id");
const PLACE = sql<string>`lower(destinations.bucket || '/' || destinations.prefix)`;

const COLUMNS: ListColumns<DestinationSort> = {
  sorts: {
    bucket: PLACE,
    organization: sql<string>`lower(organizations.name)`,
    created: ID,
    last_delivered: sql<string>`coalesce(destinations.last_delivered, '')`,
  },
  default: "-created",
  id: ID,
  searched: [PLACE, sql.ref("destinations.description"), ID, sql.ref("organizations.name")],
};

export function sqlDestinations(db: Queries): DestinationStore {
  const found = db
    .selectFrom("destinations")
    .innerJoin("organizations", "organizations.id", "destinations.organization_id")
    .selectAll("destinations");
  const forgetContents = async (id: string) => {
    await db.deleteFrom("destination_databases").where("destination_id", "=", id).execute();
    await db.deleteFrom("destination_builds").where("destination_id", "=", id).execute();
  };
  const destinations: DestinationStore = {
    async insert(destination) {
      await db
        .insertInto("destinations")
        .values({ ...toSettingsRow(destination), ...toProgressRow(destination.progress) })
        .execute();
    },
    async byId(id) {
      const row = await db.selectFrom("destinations").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toDestination(row);
    },
    list: async (filter = {}) => (await destinations.page(filter, {})).items,
    page({ organizationId }, request) {
      const filtered =
        organizationId === undefined ? found : found.where("destinations.organization_id", "=", organizationId);
      return selectPage(filtered, COLUMNS, request, toDestination);
    },
    async count(organizationId) {
      const { count } = await db
        .selectFrom("destinations")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("organization_id", "=", organizationId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async update(destination) {
      await db.updateTable("destinations").set(toSettingsRow(destination)).where("id", "=", destination.id).execute();
    },
    async remove(id) {
      await forgetContents(id);
      await db.deleteFrom("destination_deliveries").where("destination_id", "=", id).execute();
      await db.deleteFrom("destinations").where("id", "=", id).execute();
    },
    forgetContents,
    async permission(organizationId) {
      const row = await db
        .selectFrom("delivery_permissions")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .executeTakeFirst();
      return row && { organizationId, externalId: row.external_id, allowed: fromTime(row.allowed) };
    },
    async setPermission({ organizationId, externalId, allowed }) {
      await db
        .insertInto("delivery_permissions")
        .values({ organization_id: organizationId, external_id: externalId, allowed: toTime(allowed) })
        .onConflict((conflict) => conflict.column("organization_id").doUpdateSet({ allowed: toTime(allowed) }))
        .execute();
    },
    async setProgress(id, progress) {
      await db.updateTable("destinations").set(toProgressRow(progress)).where("id", "=", id).execute();
    },
    async setDatabase({ destinationId, versionId, buildId, contents, sequence, additions, refusal }) {
      const values = { build_id: buildId, contents, sequence, additions, refusal: refusal && JSON.stringify(refusal) };
      await db
        .insertInto("destination_databases")
        .values({ destination_id: destinationId, version_id: versionId, ...values })
        .onConflict((conflict) => conflict.columns(["destination_id", "version_id"]).doUpdateSet(values))
        .execute();
    },
    async setBuild({ destinationId, versionId, buildId, files, named }) {
      const values = { files: JSON.stringify(files), marked: toTime(named) };
      await db
        .insertInto("destination_builds")
        .values({ destination_id: destinationId, build_id: buildId, version_id: versionId, ...values })
        .onConflict((conflict) => conflict.columns(["destination_id", "build_id"]).doUpdateSet(values))
        .execute();
    },
    async addDelivery({ destinationId, versionId, buildId, durationMs, created, ...row }) {
      await db
        .insertInto("destination_deliveries")
        .values({
          ...row,
          destination_id: destinationId,
          version_id: versionId,
          build_id: buildId,
          duration_ms: durationMs,
          created: toTime(created),
        })
        .execute();
    },
    async deliverable(id) {
      const rows = await (id === undefined ? found : found.where("destinations.id", "=", id))
        .innerJoin("delivery_permissions", "delivery_permissions.organization_id", "destinations.organization_id")
        .where("delivery_permissions.allowed", "is not", null)
        .where("organizations.archived", "is", null)
        .where("destinations.verified", "is not", null)
        .where("destinations.paused", "is", null)
        .orderBy("destinations.id")
        .execute();
      return rows.map(toDestination);
    },
    databases: (ids) =>
      inBatches(ids, async (batch) => {
        const rows = await db
          .selectFrom("destination_databases")
          .selectAll()
          .where("destination_id", "in", batch)
          .orderBy("version_id")
          .execute();
        return rows.map(toDatabase);
      }),
    async builds(destinationId) {
      const rows = await db
        .selectFrom("destination_builds")
        .selectAll()
        .where("destination_id", "=", destinationId)
        .orderBy(sql`coalesce(marked, '')`, "desc")
        .orderBy("build_id", "desc")
        .execute();
      return rows.map(toBuild);
    },
    async removeBuild(destinationId, buildId) {
      await db
        .deleteFrom("destination_builds")
        .where("destination_id", "=", destinationId)
        .where("build_id", "=", buildId)
        .execute();
    },
    async withWithdrawn() {
      const rows = await db
        .selectFrom("destination_builds")
        .innerJoin("builds", "builds.id", "destination_builds.build_id")
        .select("destination_builds.destination_id")
        .distinct()
        .where("builds.withdrawn", "is not", null)
        .execute();
      return new Set(rows.map(({ destination_id: id }) => id));
    },
    async deliveries({ destinationId, before, limit }) {
      let log = db
        .selectFrom("destination_deliveries")
        .selectAll()
        .where("destination_id", "=", destinationId)
        .orderBy("id", "desc")
        .limit(limit);
      if (before !== undefined) log = log.where("id", "<", before);
      return (await log.execute()).map(toDelivery);
    },
    oldDeliveries: oldRows(db, "destination_deliveries"),
    async counts() {
      const { rows } = await sql<{ delivering: number; failing: number; paused: number }>`
        select
          count(case when paused is null and verified is not null and failing_since is null then 1 end) as delivering,
          count(case when paused is null and failing_since is not null then 1 end) as failing,
          count(case when paused_reason = 'failing' then 1 end) as paused
        from destinations`.execute(db);
      const { delivering = 0, failing = 0, paused = 0 } = rows[0] ?? {};
      return { delivering: Number(delivering), failing: Number(failing), paused: Number(paused) };
    },
  };
  return destinations;
}

function toSettingsRow({ place, access, ownership, paused, families, formats, ...destination }: Destination) {
  return {
    id: destination.id,
    organization_id: destination.organizationId,
    ...place,
    access: access.way,
    role_arn: access.way === "role" ? access.roleArn : null,
    access_key_id: access.way === "keys" ? access.accessKeyId : null,
    sealed_secret: access.way === "keys" ? access.sealedSecret : null,
    encryption: destination.encryption,
    description: destination.description,
    families: families && JSON.stringify(families),
    formats: formats && JSON.stringify(formats),
    keep: destination.keep,
    ownership_token: ownership.token,
    verified: toTime(ownership.verified),
    created: toTime(destination.created),
    paused: toTime(paused?.at ?? null),
    paused_reason: paused?.reason ?? null,
  } satisfies Partial<Row>;
}

function toProgressRow({ failingSince, error, lastDelivered }: Destination["progress"]) {
  return { failing_since: toTime(failingSince), error, last_delivered: toTime(lastDelivered) } satisfies Partial<Row>;
}

function toDestination(row: Selectable<Row>): Destination {
  const { bucket, prefix, region, endpoint, paused, paused_reason: reason } = row;
  return {
    id: row.id,
    organizationId: row.organization_id,
    place: { bucket, prefix, region, endpoint },
    access: toAccess(row),
    encryption: row.encryption,
    description: row.description,
    families: row.families === null ? null : JSON.parse(row.families),
    formats: row.formats === null ? null : JSON.parse(row.formats),
    keep: Number(row.keep),
    ownership: { token: row.ownership_token, verified: fromTime(row.verified) },
    created: fromTime(row.created),
    paused: paused === null || reason === null ? null : { at: fromTime(paused), reason },
    progress: {
      failingSince: fromTime(row.failing_since),
      error: row.error,
      lastDelivered: fromTime(row.last_delivered),
    },
  };
}

function toAccess({ access, role_arn: roleArn, access_key_id: accessKeyId, sealed_secret: secret }: Row): Access {
  if (access === "role") return { way: access, roleArn: roleArn ?? "" };
  if (access === "keys") return { way: access, accessKeyId: accessKeyId ?? "", sealedSecret: secret ?? "" };
  return { way: access };
}

function toDatabase(row: Schema["destination_databases"]): DeliveredDatabase {
  return {
    destinationId: row.destination_id,
    versionId: row.version_id,
    buildId: row.build_id,
    contents: row.contents,
    sequence: Number(row.sequence),
    additions: row.additions,
    refusal: row.refusal === null ? null : JSON.parse(row.refusal),
  };
}

function toBuild(row: Schema["destination_builds"]): DeliveredBuild {
  return {
    destinationId: row.destination_id,
    versionId: row.version_id,
    buildId: row.build_id,
    files: JSON.parse(row.files),
    named: fromTime(row.marked),
  };
}

function toDelivery({
  destination_id: destinationId,
  version_id: versionId,
  build_id: buildId,
  duration_ms: durationMs,
  created,
  ...row
}: Schema["destination_deliveries"]): BucketDelivery {
  const numbers = { files: Number(row.files), bytes: Number(row.bytes), durationMs: Number(durationMs) };
  return { ...row, ...numbers, destinationId, versionId, buildId, created: fromTime(created) };
}
