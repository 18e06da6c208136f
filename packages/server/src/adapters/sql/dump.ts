import { sql } from "kysely";
import type { Batch, DumpedFile, DumpStore } from "../../domain/backup/store.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import type { Engine, Queries } from "./connection.ts";
import { requireOwnSchema } from "./migrate.ts";
import { readRevision } from "./register.ts";
import type { Schema } from "./schema.ts";
import { toTime } from "./values.ts";

/**
 * Sessions, one-time links and unfinished requests of programs are omitted, so that neither a backup nor a copy lets anyone sign in.
 * E-mails are omitted, so that a copy doesn't send them again. Reservations concern the servers that run.
 */
type TableName = Exclude<
  keyof Schema,
  | "migrations"
  | "compatibility"
  | "revision"
  | "copies"
  | "account_sessions"
  | "account_links"
  | "account_challenges"
  | "passkey_challenges"
  | "device_requests"
  | "authorization_codes"
  | "outbox"
  | "limit_reservations"
>;
type Row = Record<string, unknown>;

interface Table {
  /** The columns of the primary key. */
  key: readonly [string, ...string[]];
  batchRows?: number;
  condition?: string;
}

const BATCH_ROWS = 500;

/** The tables, in an order that satisfies the foreign keys. */
const TABLES: Record<TableName, Table> = {
  organizations: { key: ["id"] },
  families: { key: ["base"] },
  versions: { key: ["id"] },
  // A metadata document can be a megabyte long.
  builds: { key: ["id"], batchRows: 16, condition: "state <> 'staged'" },
  build_files: {
    key: ["build_id", "format"],
    condition: "build_id in (select id from builds where state <> 'staged')",
  },
  build_changes: {
    key: ["to_build_id", "from_build_id"],
    condition: "to_build_id in (select id from builds where state <> 'staged')",
  },
  // A text can have a quarter of a megabyte.
  terms: { key: ["id"], batchRows: 16 },
  terms_acceptances: { key: ["id"] },
  licences: { key: ["id"] },
  access_requests: { key: ["id"] },
  keys: { key: ["id"] },
  key_secrets: { key: ["hash"] },
  key_creations: { key: ["organization_id", "idempotency_hash"] },
  legacy_keys: { key: ["id"] },
  accounts: { key: ["id"] },
  sign_ins: { key: ["id"] },
  refresh_tokens: { key: ["hash"] },
  account_passkeys: { key: ["id"] },
  account_recovery_codes: { key: ["hash"] },
  erasure_secret: { key: ["id"] },
  erased_people: { key: ["digest"] },
  notice_recipients: { key: ["account_id"] },
  events: { key: ["id"] },
  webhook_endpoints: { key: ["id"] },
  webhook_deliveries: { key: ["id"] },
  delivery_permissions: { key: ["organization_id"] },
  destinations: { key: ["id"] },
  destination_databases: { key: ["destination_id", "version_id"] },
  destination_builds: { key: ["destination_id", "build_id"] },
  destination_deliveries: { key: ["id"] },
  signing_keys: { key: ["key_id"] },
  manifests: { key: ["version_id", "sequence"] },
  freshness_keys: { key: ["key_id"] },
  freshness_statements: { key: ["version_id"] },
  patches: { key: ["id"] },
  shared_tables: { key: ["version_id", "number"] },
  shared_files: { key: ["id"] },
  jobs: { key: ["id"] },
  attempts: { key: ["id"] },
  usage_days: { key: ["organization_id", "day", "dataset_id", "format"] },
  usage_months: { key: ["month", "organization_id", "dataset_id", "format"] },
  usage_builds: { key: ["organization_id", "dataset_id", "format", "build_id"] },
  usage_progress: { key: ["id"] },
  audit: { key: ["id"] },
};

export function sqlDump({ queries }: Engine): DumpStore {
  return {
    dump: (read) =>
      queries
        .transaction()
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute(async (snapshot) => {
          await requireOwnSchema(snapshot);
          return read({
            revision: await readRevision(snapshot),
            files: await publishedFiles(snapshot),
            batches: () => batches(snapshot),
          });
        }),
    requireEmpty: () => requireEmpty(queries),
    load: (dump) =>
      queries.transaction().execute(async (transaction) => {
        // This comes first, because the lock on this row makes changes of other processes wait.
        await transaction.updateTable("revision").set({ value: dump.revision }).execute();
        await requireOwnSchema(transaction);
        await requireEmpty(transaction);
        for await (const { table, rows } of dump.batches()) {
          await transaction
            .insertInto(table as TableName)
            .values(rows as never)
            .execute();
        }
        if (dump.copied) {
          await transaction
            .insertInto("copies")
            .values({ id: 1, copied: toTime(dump.copied) })
            .execute();
        }
      }),
  };
}

/** The files of published builds, the patches between them, and their Parquet files. */
async function publishedFiles(db: Queries): Promise<DumpedFile[]> {
  const patches = await db
    .selectFrom("patches")
    .select(["object_key as objectKey", "size_bytes as sizeBytes", "sha256"])
    .where("object_key", "is not", null)
    .orderBy("object_key")
    .$narrowType<DumpedFile>()
    .execute();
  const files = await db
    .selectFrom("build_files")
    .innerJoin("builds", "builds.id", "build_files.build_id")
    .select(["object_key as objectKey", "size_bytes as sizeBytes", "sha256"])
    .where("state", "=", "published")
    .orderBy("object_key")
    .execute();
  const shared = await db
    .selectFrom("shared_files")
    .innerJoin("builds", "builds.id", "shared_files.build_id")
    .select(["object_key as objectKey", "size_bytes as sizeBytes", "sha256"])
    .where("state", "=", "published")
    .where("obsolete", "is", null)
    .orderBy("object_key")
    .execute();
  return [...files, ...patches, ...shared];
}

async function* batches(db: Queries): AsyncGenerator<Batch> {
  for (const [name, table] of Object.entries(TABLES)) {
    for (let last: Row | undefined; ; ) {
      const rows = await rowsAfter(db, name, table, last);
      last = rows.at(-1);
      if (!last) break;
      yield { table: name, rows };
    }
  }
}

async function rowsAfter(db: Queries, name: string, table: Table, last: Row | undefined): Promise<Row[]> {
  const { key, batchRows = BATCH_ROWS, condition = "true" } = table;
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const after = last ? sql`(${columns}) > (${sql.join(key.map((column) => last[column]))})` : sql`true`;
  const { rows } = await sql<Row>`select * from ${sql.table(name)} where ${sql.raw(condition)} and ${after}
    order by ${columns} limit ${batchRows}`.execute(db);
  // SQLite numbers attempts in a column that is no longer used; see migration 0005.
  return name === "attempts" ? rows.map(({ number: _, ...row }) => row) : rows;
}

async function requireEmpty(db: Queries): Promise<void> {
  for (const name of Object.keys(TABLES)) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0) {
      throw conflict(`the database to write to is not empty (it has ${name}): choose an empty one`);
    }
  }
}
