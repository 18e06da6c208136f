import { LIMIT_NAMES } from "@dbdepot/contract/v2/limits";
import { sql } from "kysely";
import type { Build } from "../../domain/builds/build.ts";
import type { Licence } from "../../domain/licences/licence.ts";
import { memoize } from "../../platform/cache/memoize.ts";
import type { Changes, RegisterSource } from "../../register/source.ts";
import { withFiles } from "./builds.ts";
import { publishedVersions, toFamily, toVersion } from "./catalogue.ts";
import type { Engine, Queries } from "./connection.ts";
import { credentialReader, selectCredentials } from "./credentials.ts";
import { toFreshness, toFreshnessKey } from "./freshness.ts";
import { toChainEntry, toSigningKey } from "./manifests.ts";
import { toLimits } from "./organizations.ts";
import { offeredPatches } from "./patches.ts";
import { fromTime } from "./values.ts";

/** Reads in pages, so that not all rows are in memory next to the licences. */
const LICENCES_PER_PAGE = 1000;
/** A metadata document can be a megabyte long, and is in memory twice while its row is read. */
const BUILDS_PER_PAGE = 100;

export function sqlRegister({ queries: db, polls }: Pick<Engine, "queries" | "polls">): RegisterSource {
  const readCredential = credentialReader();
  return {
    revision: () => readRevision(polls),
    snapshot: () =>
      inSnapshot(db, async (snapshot) => ({
        ...(await catalogueSince(snapshot, 0)),
        credentials: [],
        buildIds: [],
        legacyHashes: [],
      })),
    changesSince: (revision) =>
      inSnapshot(db, async (snapshot) => {
        const credentials = await selectCredentials(snapshot).where("keys.revision", ">", revision).execute();
        const builds = await snapshot.selectFrom("builds").select("id").where("revision", ">", revision).execute();
        const legacyKeys = await snapshot
          .selectFrom("legacy_keys")
          .select("hash")
          .where("revision", ">", revision)
          .execute();
        return {
          ...(await catalogueSince(snapshot, revision)),
          credentials: credentials.map(readCredential),
          buildIds: builds.map(({ id }) => id),
          legacyHashes: legacyKeys.map(({ hash }) => hash),
        };
      }),
    async credentialsAfter(last, limit) {
      // Keys and secrets are stored in the order of keys, so reading them in this order is much faster than by hash.
      let page = selectCredentials(db).orderBy("key_id").orderBy("hash").limit(limit);
      if (last) page = page.where(sql<boolean>`(key_id, hash) > (${last.id}, ${last.hash})`);
      return (await page.execute()).map(readCredential);
    },
  };
}

export async function readRevision(db: Queries): Promise<number> {
  return (await db.selectFrom("revision").select("value").executeTakeFirstOrThrow()).value;
}

/** Reads from one snapshot, so that a version matches its current build. */
function inSnapshot(db: Queries, read: (snapshot: Queries) => Promise<Changes>): Promise<Changes> {
  return db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read);
}

async function catalogueSince(db: Queries, revision: number) {
  const families = await db.selectFrom("families").selectAll().where("revision", ">", revision).execute();
  const versions = await db.selectFrom("versions").selectAll().where("revision", ">", revision).execute();
  const manifests = await db
    .selectFrom("manifests")
    .selectAll()
    .where("revision", ">", revision)
    .where("sequence", "=", (newest) =>
      newest
        .selectFrom("manifests as others")
        .select(({ fn }) => fn.max("others.sequence").as("sequence"))
        .whereRef("others.version_id", "=", "manifests.version_id"),
    )
    .execute();
  const signingKeys = await db.selectFrom("signing_keys").selectAll().where("revision", ">", revision).execute();
  const freshness = await db.selectFrom("freshness_statements").selectAll().where("revision", ">", revision).execute();
  const freshnessKeys = await db.selectFrom("freshness_keys").selectAll().where("revision", ">", revision).execute();
  return {
    revision: await readRevision(db),
    families: families.map(toFamily),
    versions: versions.map(toVersion),
    publishedVersionIds: await publishedVersions(db, revision),
    currentBuilds: await readBuilds(
      db,
      versions.flatMap((version) => version.current_build_id ?? []),
    ),
    licences: await licencesSince(db, revision),
    acceptances: await acceptancesSince(db, revision),
    manifests: manifests.map(toChainEntry),
    signingKeys: signingKeys.map(toSigningKey),
    freshness: freshness.map(toFreshness),
    freshnessKeys: freshnessKeys.map(toFreshnessKey),
    patches: await offeredPatches(db, revision),
    organizations: await organizationsSince(db, revision),
  };
}

/** An organization that has changed may have no limits and no region any more. */
async function organizationsSince(db: Queries, revision: number): Promise<Changes["organizations"]> {
  const columns = ["link_region", ...LIMIT_NAMES] as const;
  let changed = db
    .selectFrom("organizations")
    .select(["id", ...columns])
    .where("revision", ">", revision);
  if (revision === 0) {
    changed = changed.where((where) => where.or(columns.map((name) => where(name, "is not", null))));
  }
  return (await changed.execute()).map((row) => ({
    id: row.id,
    limits: toLimits(row),
    linkRegion: row.link_region,
  }));
}

async function acceptancesSince(db: Queries, revision: number): Promise<Changes["acceptances"]> {
  const rows = await db
    .selectFrom("terms_acceptances")
    .select(["organization_id as organizationId", "terms_id as termsId"])
    .where("revision", ">", revision)
    .execute();
  const share = memoize((text) => text);
  return rows.map(({ organizationId, termsId }) => ({ organizationId, termsId: share(termsId) }));
}

async function readBuilds(db: Queries, ids: readonly string[]): Promise<Build[]> {
  const builds: Build[] = [];
  for (let first = 0; first < ids.length; first += BUILDS_PER_PAGE) {
    const page = ids.slice(first, first + BUILDS_PER_PAGE);
    builds.push(...(await withFiles(db, await db.selectFrom("builds").selectAll().where("id", "in", page).execute())));
  }
  return builds;
}

async function licencesSince(db: Queries, revision: number): Promise<Licence[]> {
  // Many licences have the same organization, family and term: they share these values.
  const share = memoize((text) => text);
  const shareTime = memoize((time) => fromTime(time));
  const licences: Licence[] = [];
  for (;;) {
    const page = await db
      .selectFrom("licences")
      .selectAll()
      .where("revision", ">", revision)
      .where("id", ">", licences.at(-1)?.id ?? "")
      .orderBy("id")
      .limit(LICENCES_PER_PAGE)
      .execute();
    for (const row of page) {
      licences.push({
        id: row.id,
        organizationId: share(row.organization_id),
        base: share(row.base),
        redistribution: row.redistribution,
        starts: shareTime(row.starts),
        expires: row.expires === null ? null : shareTime(row.expires),
        created: shareTime(row.created),
        renewsAt: row.renews_at === null ? null : shareTime(row.renews_at),
        noticeDueAt: row.notice_due_at === null ? null : shareTime(row.notice_due_at),
        externalId: row.external_id,
        termsId: row.terms_id === null ? null : share(row.terms_id),
      });
    }
    if (page.length < LICENCES_PER_PAGE) return licences;
  }
}
