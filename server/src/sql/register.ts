import type { RegisterSource } from "../register/source.ts";
import { withFiles } from "./builds.ts";
import { toFamily, toVersion } from "./catalogue.ts";
import type { Queries } from "./connection.ts";
import { toLicence } from "./licences.ts";

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
  const licences = await db.selectFrom("licences").selectAll().where("revision", ">", revision).execute();
  return {
    revision: await revisionOf(db),
    families: families.map(toFamily),
    versions: versionRows.map(toVersion),
    currentBuilds: await withFiles(db, currentRows),
    licences: licences.map(toLicence),
    ...(revision === 0 ? { buildIds: [], secretHashes: [] } : await forgettable(db, revision)),
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
