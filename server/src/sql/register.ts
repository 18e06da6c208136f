import { sql } from "kysely";
import type { KnownSecret, LicenceSink, RegisterSource } from "../register/source.ts";
import { withFiles } from "./builds.ts";
import { toFamily, toVersion } from "./catalogue.ts";
import type { Queries } from "./connection.ts";
import { fromTime } from "./time.ts";

const LICENCES_AT_ONCE = 1000;

export function sqlRegister(db: Queries): RegisterSource {
  // Put together once: it is asked for whenever a key is unknown.
  const revision = revisions(db).compile();
  return {
    revision: async () => requireRevision((await db.executeQuery(revision)).rows),
    secretCount: async () => {
      const count = db.selectFrom("key_secrets").select(({ fn }) => fn.countAll().as("count"));
      return Number((await count.executeTakeFirstOrThrow()).count);
    },
    secretsAfter: async (last, limit) => {
      let found = secrets(db).orderBy("key_id").orderBy("hash").limit(limit);
      // By the key first: secrets and keys lie in the order in which they were made. By the hash it takes thrice as long.
      if (last) found = found.where(sql<boolean>`(key_id, hash) > (${last.key.id}, ${last.hash})`);
      return toKnownSecrets(await found.execute());
    },
    changesSince: (revision, licences) =>
      // One snapshot: a version and its build come from the same moment.
      db
        .transaction()
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute(async (snapshot) => {
          await licencesSince(snapshot, revision, licences);
          return changesSince(snapshot, revision);
        }),
  };
}

function revisions(db: Queries) {
  return db.selectFrom("revision").select("value");
}

function requireRevision([row]: { value: number }[]): number {
  if (!row) throw new Error("the database has no revision");
  return row.value;
}

/** Each with what the door asks of its key. */
function secrets(db: Queries) {
  return db
    .selectFrom("key_secrets")
    .innerJoin("keys", "keys.id", "key_secrets.key_id")
    .select(["hash", "key_id", "organization_id", "scopes", "cidrs", "keys.expires", "revoked"])
    .select("key_secrets.expires as secret_expires");
}

type SecretRow = Awaited<ReturnType<ReturnType<typeof secrets>["execute"]>>[number];

function toKnownSecrets(rows: SecretRow[]): KnownSecret[] {
  const list = once((json: string) => JSON.parse(json));
  return rows.map((row) => ({
    hash: row.hash,
    key: {
      id: row.key_id,
      organizationId: row.organization_id,
      scopes: list(row.scopes),
      cidrs: list(row.cidrs),
      expires: fromTime(row.expires),
      revoked: fromTime(row.revoked),
    },
    secret: { expires: fromTime(row.secret_expires) },
  }));
}

async function changesSince(db: Queries, revision: number) {
  const versionRows = await db.selectFrom("versions").selectAll().where("revision", ">", revision).execute();
  const currentRows = await db
    .selectFrom("builds")
    .innerJoin("versions", "versions.current_build_id", "builds.id")
    .selectAll("builds")
    .where("versions.revision", ">", revision)
    .execute();
  const families = await db.selectFrom("families").selectAll().where("revision", ">", revision).execute();
  return {
    revision: requireRevision(await revisions(db).execute()),
    families: families.map(toFamily),
    versions: versionRows.map(toVersion),
    currentBuilds: await withFiles(db, currentRows),
    ...(revision === 0
      ? { buildIds: [], secrets: [], legacyHashes: [] }
      : { ...(await forgettable(db, revision)), secrets: await secretsSince(db, revision) }),
  };
}

/** In portions: each is held in memory several times over while it is on its way. */
async function licencesSince(db: Queries, revision: number, sink: LicenceSink): Promise<void> {
  const found = db.selectFrom("licences").where("revision", ">", revision);
  // Most terms begin and end at midnight.
  const time = once((one: string) => fromTime(one));
  const portionAfter = (id: string) =>
    found
      .select(["id", "organization_id", "base", "redistribution", "starts", "expires", "created"])
      .where("id", ">", id)
      .orderBy("id")
      .limit(LICENCES_AT_ONCE)
      .execute();
  let portion = await portionAfter("");
  if (portion.length === LICENCES_AT_ONCE) {
    const { count } = await found.select(({ fn }) => fn.countAll().as("count")).executeTakeFirstOrThrow();
    sink.reserve(Number(count));
  }
  while (portion.length > 0) {
    // It is read while this one is taken in.
    const next = portion.length === LICENCES_AT_ONCE ? portionAfter(portion.at(-1)?.id ?? "") : [];
    for (const row of portion) {
      sink.put({
        id: row.id,
        organizationId: row.organization_id,
        base: row.base,
        redistribution: row.redistribution,
        starts: time(row.starts),
        expires: row.expires === null ? null : time(row.expires),
        created: time(row.created),
      });
    }
    portion = await next;
  }
}

/** Gives the same thing for the same text. */
function once<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const one = make(text);
    made.set(text, one);
    return one;
  };
}

async function secretsSince(db: Queries, revision: number): Promise<KnownSecret[]> {
  return toKnownSecrets(await secrets(db).where("keys.revision", ">", revision).execute());
}

/** What a register may have looked up, and has to look up again. */
async function forgettable(db: Queries, revision: number) {
  const builds = await db.selectFrom("builds").select("id").where("revision", ">", revision).execute();
  const legacy = await db.selectFrom("legacy_keys").select("hash").where("revision", ">", revision).execute();
  return { buildIds: builds.map(({ id }) => id), legacyHashes: legacy.map(({ hash }) => hash) };
}
