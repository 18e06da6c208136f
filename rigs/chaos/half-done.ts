import type { Database, Row } from "./database.ts";

/** Rows that a change interrupted halfway would leave behind. Each query must return none. */
const IMPOSSIBLE: Record<string, string> = {
  "a key without exactly one lasting secret": `
    select id from keys where
      (select count(*) from key_secrets where key_id = keys.id and key_secrets.expires is null) <> 1`,
  "a key whose prefix is not that of its secret": `
    select id from keys where prefix not in (select prefix from key_secrets where key_id = keys.id and expires is null)`,
  "a secret without a key": "select key_id as id from key_secrets where key_id not in (select id from keys)",
  "a published build without all files": `
    select id from builds where state = 'published' and (select count(*) from build_files where build_id = id) <> 2`,
  "a version whose current build is not published": `
    select versions.id from versions join builds on builds.id = current_build_id
    where state <> 'published' or version_id <> versions.id`,
};

/** Changes that have an audit entry and an event, and the field of the event that has the subject's id. */
const ANNOUNCED: Record<string, string> = {
  "key.created": "id",
  "key.rotated": "id",
  "key.revoked": "id",
  "licence.granted": "id",
  "build.published": "build_id",
};

/** The rows that prove a change: there must be as many audit entries. */
const EVIDENCE: Record<string, string> = {
  "key.created": "select id from keys",
  "key.revoked": "select id from keys where revoked is not null",
  "licence.granted": "select id from licences",
  "build.published": "select id from builds where published is not null",
};

/** Looks for partial changes. Returns a line about each. */
export async function findHalfDone(database: Database): Promise<string[]> {
  const found: string[] = [];
  for (const [what, sql] of Object.entries(IMPOSSIBLE)) {
    for (const { id } of await database.query(sql)) found.push(`${what}: ${id}`);
  }
  const audit = await database.query("select action, subject from audit");
  for (const [action, sql] of Object.entries(EVIDENCE)) {
    const entries = new Set(audit.filter((entry) => entry.action === action).map(({ subject }) => subject));
    const rows = new Set((await database.query(sql)).map(({ id }) => id));
    for (const id of rows) if (!entries.has(id)) found.push(`${action} ${id} has no audit entry`);
    for (const id of entries) if (!rows.has(id)) found.push(`${action} ${id} has an audit entry and did not happen`);
  }
  return [...found, ...(await unannounced(database, audit))];
}

async function unannounced(database: Database, audit: readonly Row[]): Promise<string[]> {
  // Operator keys have no events, because no organization owns them.
  const owned = await database.query("select id from keys where organization_id is null");
  const silent = new Set(owned.map(({ id }) => id));
  const balance = new Map<string, number>();
  const add = (change: string, count: number) => balance.set(change, (balance.get(change) ?? 0) + count);
  for (const { action, subject } of audit) {
    if (String(action) in ANNOUNCED && !silent.has(subject as string)) add(`${action} ${subject}`, 1);
  }
  for (const { type, data } of await database.query("select type, data from events")) {
    const field = ANNOUNCED[String(type)];
    if (field) add(`${type} ${JSON.parse(String(data))[field]}`, -1);
  }
  const unequal = [...balance].filter(([, count]) => count !== 0);
  return unequal.map(([change, count]) => `${change} has ${count > 0 ? "no event" : "an event, and no audit entry"}`);
}
