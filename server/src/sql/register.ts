import type { Licence } from "../licences/licence.ts";
import type { RegisterSource } from "../register/source.ts";
import { withFiles } from "./builds.ts";
import { toFamily, toVersion } from "./catalogue.ts";
import type { Queries } from "./connection.ts";
import { toLicence } from "./licences.ts";

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
  const texts = new Map<string, string>();
  const once = <T extends string>(text: T): T => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return (known ?? text) as T;
  };
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
      const { organization_id, base, redistribution } = row;
      const shared = { organization_id: once(organization_id), base: once(base), redistribution: once(redistribution) };
      licences.push(toLicence({ ...row, ...shared }));
    }
    if (!last) return licences;
  }
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
