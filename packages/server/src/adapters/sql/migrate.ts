import { sql } from "kysely";
import { conflict } from "../../platform/primitives/faults.ts";
import type { Engine, Migration, Queries } from "./connection.ts";
import { foundation } from "./migrations/0001-foundation.ts";
import { publishing } from "./migrations/0002-publishing.ts";
import { keyCreations } from "./migrations/0003-key-creations.ts";
import { historyByOrganization } from "./migrations/0004-history-by-organization.ts";
import { oneAttemptsTable } from "./migrations/0005-one-attempts-table.ts";
import { archiving } from "./migrations/0006-archiving.ts";
import { terms } from "./migrations/0007-terms.ts";
import { samples } from "./migrations/0008-samples.ts";
import { accounts } from "./migrations/0009-accounts.ts";
import { identities } from "./migrations/0010-identities.ts";
import { events } from "./migrations/0011-events.ts";
import { webhooks } from "./migrations/0012-webhooks.ts";
import { manifests } from "./migrations/0013-manifests.ts";
import { views } from "./migrations/0014-views.ts";
import { accessRequests } from "./migrations/0015-access-requests.ts";
import { deliveryContents } from "./migrations/0016-delivery-contents.ts";
import { passkeys } from "./migrations/0017-passkeys.ts";
import { changes } from "./migrations/0018-changes.ts";
import { patches } from "./migrations/0019-patches.ts";
import { withdrawalReasons } from "./migrations/0020-withdrawal-reasons.ts";
import { signIns } from "./migrations/0021-sign-ins.ts";
import { usage } from "./migrations/0022-usage.ts";
import { notices } from "./migrations/0023-notices.ts";
import { externalIds } from "./migrations/0024-external-ids.ts";
import { limits } from "./migrations/0025-limits.ts";
import { acceptedTerms } from "./migrations/0026-terms.ts";
import { endedSignIns } from "./migrations/0027-ended-sign-ins.ts";
import { jobs } from "./migrations/0028-jobs.ts";
import { erasedPeople } from "./migrations/0029-erased-people.ts";
import { copies } from "./migrations/0030-copies.ts";
import { ranges } from "./migrations/0031-ranges.ts";
import { limitReservations } from "./migrations/0032-limit-reservations.ts";
import { compatibility } from "./migrations/0033-compatibility.ts";
import { savedBytes } from "./migrations/0034-saved-bytes.ts";
import { passkeySignIn } from "./migrations/0035-passkey-sign-in.ts";
import { urgentMail } from "./migrations/0036-urgent-mail.ts";
import { recompression } from "./migrations/0037-recompression.ts";
import { freshness } from "./migrations/0038-freshness.ts";
import { destinations } from "./migrations/0039-destinations.ts";
import { sharedTables } from "./migrations/0040-shared-tables.ts";
import { linkRegions } from "./migrations/0041-link-regions.ts";
import { deliveredAdditions } from "./migrations/0042-delivered-additions.ts";
import { toTime } from "./values.ts";

/** All migrations, in order. Never change a released one: add another one. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  publishing,
  keyCreations,
  historyByOrganization,
  oneAttemptsTable,
  archiving,
  terms,
  samples,
  accounts,
  identities,
  events,
  webhooks,
  manifests,
  views,
  accessRequests,
  deliveryContents,
  passkeys,
  changes,
  patches,
  withdrawalReasons,
  signIns,
  usage,
  notices,
  externalIds,
  limits,
  acceptedTerms,
  endedSignIns,
  jobs,
  erasedPeople,
  copies,
  ranges,
  limitReservations,
  compatibility,
  savedBytes,
  passkeySignIn,
  urgentMail,
  recompression,
  freshness,
  destinations,
  sharedTables,
  linkRegions,
  deliveredAdditions,
];

export async function isNew(engine: Engine): Promise<boolean> {
  return !(await engine.hasTable("migrations"));
}

export async function pendingMigrations(engine: Engine): Promise<string[]> {
  if (await isNew(engine)) return MIGRATIONS.map(({ name }) => name);
  return (await compare(engine.queries, MIGRATIONS)).missing.map(({ name }) => name);
}

export async function newerMigrations(engine: Engine): Promise<string[]> {
  return (await isNew(engine)) ? [] : (await compare(engine.queries, MIGRATIONS)).newer;
}

/** Commands that work on whole tables call it: this version would miss what newer migrations have added. */
export async function requireOwnSchema(queries: Queries): Promise<void> {
  const { newer } = await compare(queries, MIGRATIONS);
  if (newer.length > 0) throw createdByNewer(newer);
}

/** Applies all missing migrations in one transaction. If several processes start at the same time, one applies them and the others wait. */
export async function migrate(engine: Engine, migrations = MIGRATIONS): Promise<string[]> {
  return engine.migrationTransaction(async (transaction) => {
    await transaction.schema
      .createTable("migrations")
      .ifNotExists()
      .addColumn("name", sql.raw(engine.textType), (column) => column.primaryKey())
      .addColumn("applied", sql.raw(engine.textType), (column) => column.notNull())
      .execute();
    const { missing } = await compare(transaction, migrations);
    for (const { name, up, compatibleWith } of missing) {
      await up(transaction, engine);
      await transaction
        .insertInto("migrations")
        .values({ name, applied: toTime(new Date()) })
        .execute();
      if (compatibleWith) {
        await transaction.updateTable("compatibility").set({ compatible_with: compatibleWith.name }).execute();
      }
    }
    return missing.map(({ name }) => name);
  });
}

/** Compares the schema with the migrations that this version knows. Fails if this version can't run on it. */
async function compare(
  queries: Queries,
  migrations: readonly Migration[],
): Promise<{ missing: Migration[]; newer: string[] }> {
  const rows = await queries.selectFrom("migrations").select("name").orderBy("name").execute();
  const applied = rows.map(({ name }) => name);
  const missing = migrations.filter(({ name }) => !applied.includes(name));
  const newer = applied.filter((name) => !migrations.some((migration) => migration.name === name));
  // If one of ours is missing too, this is not the schema of a later version.
  if (newer.length > 0 && (missing.length > 0 || !(await isCompatible(queries, migrations)))) {
    throw createdByNewer(newer);
  }
  return { missing, newer };
}

async function isCompatible(queries: Queries, migrations: readonly Migration[]): Promise<boolean> {
  const row = await queries.selectFrom("compatibility").select("compatible_with").executeTakeFirst();
  return migrations.some(({ name }) => name === row?.compatible_with);
}

function createdByNewer(newer: readonly string[]): Error {
  return conflict(
    `this database was created by a newer version of dbdepot (it has ${newer.join(", ")}): run that version or a later one`,
  );
}
