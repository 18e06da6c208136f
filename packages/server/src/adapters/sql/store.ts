import type { Store, Tables } from "../../domain/store.ts";
import { sqlAccounts } from "./accounts.ts";
import { sqlAttempts } from "./attempts.ts";
import { sqlAudit } from "./audit.ts";
import { inBatch } from "./batch.ts";
import { sqlBuilds } from "./builds.ts";
import { sqlFamilies, sqlVersions } from "./catalogue.ts";
import { sqlChanges } from "./changes.ts";
import type { Engine, Queries } from "./connection.ts";
import { sqlCopies } from "./copies.ts";
import { sqlCustomers } from "./customers.ts";
import { sqlDestinations } from "./destinations.ts";
import { sqlDump } from "./dump.ts";
import { sqlEvents } from "./events.ts";
import { sqlFreshness, sqlFreshnessKeys } from "./freshness.ts";
import { sqlJobs } from "./jobs.ts";
import { sqlKeys } from "./keys.ts";
import { sqlLegacyKeys } from "./legacy-keys.ts";
import { sqlLicences } from "./licences.ts";
import { sqlLimits } from "./limits.ts";
import { sqlMail } from "./mail.ts";
import { sqlManifests, sqlSigningKeys } from "./manifests.ts";
import { isNew, migrate, newerMigrations, pendingMigrations } from "./migrate.ts";
import { sqlNotices } from "./notices.ts";
import { sqlOrganizations } from "./organizations.ts";
import { sqlPatches } from "./patches.ts";
import { sqlPrivacy } from "./privacy.ts";
import { sqlPrograms } from "./programs.ts";
import { sqlRegister } from "./register.ts";
import { sqlRequests } from "./requests.ts";
import { sqlLinks, sqlSessions } from "./sessions.ts";
import { sqlSharing } from "./sharing.ts";
import { sqlTerms } from "./terms.ts";
import { sqlTwoFactor } from "./two-factor.ts";
import { sqlUsage } from "./usage.ts";
import { sqlWebhooks } from "./webhooks.ts";

/** Implements the ports of all nouns on one engine. */
export function sqlStore(engine: Engine): Store {
  const { queries } = engine;
  const serialize = serializer();
  return {
    ...sqlTables(queries, engine, () => {
      throw new Error("a change is written through Store.change, so that it has a revision");
    }),
    attempts: sqlAttempts(engine),
    usage: sqlUsage(engine),
    limits: sqlLimits(engine),
    ...sqlRegister(engine),
    ...sqlDump(engine),
    change: (work) =>
      serialize(() =>
        queries.transaction().execute(async (transaction) => {
          // This comes first, because the lock on this row makes changes of other processes wait.
          const { value } = await transaction
            .updateTable("revision")
            .set((set) => ({ value: set("value", "+", 1) }))
            .returning("value")
            .executeTakeFirstOrThrow();
          return work(sqlTables(transaction, engine, () => value));
        }),
      ),
    isNew: () => isNew(engine),
    pendingMigrations: () => pendingMigrations(engine),
    newerMigrations: () => newerMigrations(engine),
    migrate: () => migrate(engine),
    close: () => engine.close(),
  };
}

/** Queued changes wait here instead of each holding a database connection. */
function serializer() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

function sqlTables(db: Queries, engine: Engine, revision: () => number): Tables {
  const accounts = sqlAccounts(db);
  const organizations = sqlOrganizations(db, revision);
  const tables: Tables = {
    organizations,
    families: sqlFamilies(db, revision),
    versions: sqlVersions(db, revision),
    builds: sqlBuilds(db, revision),
    changes: sqlChanges(db),
    licences: sqlLicences(db, revision),
    terms: sqlTerms(db, revision),
    requests: sqlRequests(db),
    keys: sqlKeys(db, engine, revision),
    legacyKeys: sqlLegacyKeys(db, revision),
    accounts,
    sessions: sqlSessions(db, accounts, organizations),
    links: sqlLinks(db),
    programs: sqlPrograms(db),
    twoFactor: sqlTwoFactor(db),
    events: sqlEvents(db, revision),
    webhooks: sqlWebhooks(db),
    destinations: sqlDestinations(db),
    notices: sqlNotices(db),
    mail: sqlMail(db),
    manifests: sqlManifests(db, revision),
    signingKeys: sqlSigningKeys(db, revision),
    freshness: sqlFreshness(db, revision),
    freshnessKeys: sqlFreshnessKeys(db, revision),
    patches: sqlPatches(db, revision),
    sharing: sqlSharing(db),
    audit: sqlAudit(db),
    jobs: sqlJobs(db),
    copies: sqlCopies(db),
    customers: { ...sqlCustomers(db, revision), inBatch: (work) => inBatch(tables, work) },
    privacy: sqlPrivacy(db, engine, revision),
  };
  return tables;
}
