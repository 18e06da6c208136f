import type { Redistribution } from "@dbdepot/contract/catalogue";
import type { Licence } from "../licences/licence.ts";
import type { RegisterSource } from "../register/source.ts";
import { withFiles } from "./builds.ts";
import { toFamily, toVersion } from "./catalogue.ts";
import type { Queries } from "./connection.ts";
import { fromTime } from "./time.ts";

const LICENCES_AT_ONCE = 5000;

export function sqlRegister(db: Queries): RegisterSource {
  return {
    revision: () => revisionOf(db),
    changesSince: (revision) =>
      // One snapshot: a version and its build come from the same moment.
      db
        .transaction()
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute((snapshot) => changesSince(snapshot, revision)),
  };
}

async function revisionOf(db: Queries): Promise<number> {
  return (await db.selectFrom("revision").select("value").executeTakeFirstOrThrow()).value;
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
    revision: await revisionOf(db),
    families: families.map(toFamily),
    versions: versionRows.map(toVersion),
    currentBuilds: await withFiles(db, currentRows),
    licences: await licencesSince(db, revision),
    ...(revision === 0 ? { buildIds: [], secretHashes: [] } : await forgettable(db, revision)),
  };
}

/**
 * In portions, since there may be hundreds of thousands: each is held in memory several times over while it is on its
 * way. What many of them have in common is held once.
 */
async function licencesSince(db: Queries, revision: number): Promise<Licence[]> {
  const licences: Licence[] = [];
  const text = once((one: string) => one);
  // Most terms begin and end at midnight, and a date takes more room than all the rest of a licence.
  const time = once((one: string) => fromTime(one));
  const portionAfter = (id: string) =>
    db
      .selectFrom("licences")
      .selectAll()
      .where("revision", ">", revision)
      .where("id", ">", id)
      .orderBy("id")
      .limit(LICENCES_AT_ONCE)
      .execute();
  for (let coming = portionAfter(""); ; ) {
    const portion = await coming;
    const last = portion.length === LICENCES_AT_ONCE ? portion.at(-1) : undefined;
    // It is read while this one is taken in.
    if (last) coming = portionAfter(last.id);
    for (const row of portion) {
      licences.push({
        id: row.id,
        organizationId: text(row.organization_id),
        base: text(row.base),
        redistribution: text(row.redistribution) as Redistribution,
        starts: time(row.starts),
        expires: row.expires === null ? null : time(row.expires),
        created: time(row.created),
      });
    }
    if (!last) return licences;
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

/** What a register may have looked up, and has to look up again. */
async function forgettable(db: Queries, revision: number) {
  const builds = await db.selectFrom("builds").select("id").where("revision", ">", revision).execute();
  const secrets = await db
    .selectFrom("key_secrets")
    .innerJoin("keys", "keys.id", "key_secrets.key_id")
    .select("key_secrets.hash")
    .where("keys.revision", ">", revision)
    .execute();
  const legacy = await db.selectFrom("legacy_keys").select("hash").where("revision", ">", revision).execute();
  return { buildIds: builds.map(({ id }) => id), secretHashes: [...secrets, ...legacy].map(({ hash }) => hash) };
}
