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
import { toTime } from "./values.ts";

/** All migrations, in order. Never change a released one: add another one. */
const MIGRATIONS: readonly Migration[] = [
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
];

export async function isNew(engine: Engine): Promise<boolean> {
  return !(await engine.hasTable("migrations"));
}

export async function pendingMigrations(engine: Engine): Promise<string[]> {
  if (await isNew(engine)) return MIGRATIONS.map(({ name }) => name);
  return (await missing(engine.queries)).map(({ name }) => name);
}

/** Applies all missing migrations in one transaction. If several processes start at the same time, one applies them and the others wait. */
export async function migrate(engine: Engine): Promise<string[]> {
  return engine.migrationTransaction(async (transaction) => {
    await transaction.schema
      .createTable("migrations")
      .ifNotExists()
      .addColumn("name", sql.raw(engine.textType), (column) => column.primaryKey())
      .addColumn("applied", sql.raw(engine.textType), (column) => column.notNull())
      .execute();
    const steps = await missing(transaction);
    for (const { name, up } of steps) {
      await up(transaction, engine);
      await transaction
        .insertInto("migrations")
        .values({ name, applied: toTime(new Date()) })
        .execute();
    }
    return steps.map(({ name }) => name);
  });
}

async function missing(queries: Queries): Promise<Migration[]> {
  const rows = await queries.selectFrom("migrations").select("name").execute();
  const applied = new Set(rows.map(({ name }) => name));
  const unknown = [...applied].filter((name) => !MIGRATIONS.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    throw conflict(
      `this database was created by a newer version of dbdepot (it has ${unknown.join(", ")}): run that version or a later one`,
    );
  }
  return MIGRATIONS.filter(({ name }) => !applied.has(name));
}
