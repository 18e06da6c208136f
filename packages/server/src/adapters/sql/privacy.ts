import { type RawBuilder, type SqlBool, sql } from "kysely";
import { actorOf } from "../../domain/access/account.ts";
import { newPseudonym } from "../../domain/access/person.ts";
import { Eraser, isFullName, type Person } from "../../domain/privacy/person.ts";
import type { PersonalRows, PrivacyStore, StoredData } from "../../domain/privacy/store.ts";
import type { Engine, Queries } from "./connection.ts";
import { requireOwnSchema } from "./migrate.ts";
import { attemptsOf, contains, emailOfDeleted, emailsOf, findPerson } from "./people.ts";
import { columnsOf, PERSONAL_TABLES, type PersonalTable } from "./personal-data.ts";
import type { Schema } from "./schema.ts";
import { inBatches } from "./values.ts";

type Row = Record<string, unknown>;
type Named = (typeof PERSONAL_TABLES)[number];

/** Tables that registers load by their revision. */
const REVISED: ReadonlySet<keyof Schema> = new Set(["keys", "legacy_keys"]);

/** Rows of other tables may refer to an account. */
const ACCOUNTS_LAST = PERSONAL_TABLES.toSorted(
  (one, other) => Number(one.name === "accounts") - Number(other.name === "accounts"),
);

/** SQLite limits the depth of a condition to 1000. */
const TEXTS_PER_STATEMENT = 50;

export function sqlPrivacy(db: Queries, { name: engine }: Pick<Engine, "name">, revision: () => number): PrivacyStore {
  /** Rows that belong to the person, or in which one of the texts occurs. */
  async function select(table: Named, person: Person, texts: readonly string[]): Promise<Row[]> {
    const found = new Map<unknown, Row>();
    for (let first = 0; first < texts.length; first += TEXTS_PER_STATEMENT) {
      const condition = mentions(table, person, texts.slice(first, first + TEXTS_PER_STATEMENT));
      const rows = await db
        .selectFrom(table.name as "audit")
        .selectAll()
        .where(condition)
        .execute();
      for (const row of rows) found.set(table.rows === "deleted" ? row : row.id, row);
      if (columnsOf(table, "text", "state").length === 0) break;
    }
    return [...found.values()];
  }

  /** The changes that the pseudonym makes in the rows of a table. */
  async function changes(table: Named, person: Person, pseudonym: string): Promise<{ id: string; values: Row }[]> {
    const eraser = new Eraser(person, pseudonym);
    const rows = await select(table, person, [...textsOf(person), ...person.keyIds]);
    return rows.flatMap((row) => {
      const anonymous = Object.entries(anonymized(table, row, person, eraser));
      const changed = anonymous.filter(([column, value]) => value !== row[column]);
      return changed.length === 0 ? [] : { id: row.id as string, values: Object.fromEntries(changed) };
    });
  }

  async function update(table: Named, { id, values }: { id: string; values: Row }): Promise<bigint> {
    const row: Row = { ...values, ...(REVISED.has(table.name) && { revision: revision() }) };
    const { numUpdatedRows } = await db
      .updateTable(table.name as "audit")
      .set(row as Partial<Schema["audit"]>)
      .where("id", "=", id)
      .executeTakeFirst();
    return numUpdatedRows;
  }

  async function erase(table: Named, person: Person, pseudonym: string): Promise<bigint> {
    if (table.name === "attempts") {
      const cleared = db.updateTable("attempts").set({ client_ip: null, user_agent: null }).where(attemptsOf(person));
      return (await cleared.executeTakeFirst()).numUpdatedRows;
    }
    if (table.rows === "deleted") {
      const condition = mentions(table, person, []);
      if (table.name === "sign_ins") {
        const programKeys = db.selectFrom("sign_ins").select("id").where(condition);
        await db.deleteFrom("refresh_tokens").where("sign_in_id", "in", programKeys).execute();
      }
      return (await db.deleteFrom(table.name).where(condition).executeTakeFirst()).numDeletedRows;
    }
    let updated = 0n;
    for (const change of await changes(table, person, pseudonym)) updated += await update(table, change);
    return updated;
  }

  return {
    emailOfDeleted: (accountId) => emailOfDeleted(db, accountId),
    find: (email) => findPerson(db, email),
    emailsOf: (organizationId) => emailsOf(db, organizationId),
    async count(person) {
      const pseudonym = newPseudonym();
      return inEachTable(PERSONAL_TABLES, async (table) => {
        if (table.rows === "anonymized" && table.name !== "attempts") {
          return (await changes(table, person, pseudonym)).length;
        }
        const { count } = await db
          .selectFrom(table.name as "audit")
          .select(sql<number>`count(*)`.as("count"))
          .where(table.name === "attempts" ? attemptsOf(person) : mentions(table, person, []))
          .executeTakeFirstOrThrow();
        return Number(count);
      });
    },
    async export(person) {
      const data: StoredData = {};
      for (const table of PERSONAL_TABLES) {
        const rows =
          table.name === "attempts"
            ? await db.selectFrom("attempts").selectAll().where(attemptsOf(person)).execute()
            : await select(table, person, textsOf(person));
        if (rows.length > 0) data[table.name] = rows.map((row) => readable(table, row, person));
      }
      const created = await keysCreatedBy(db, person);
      if (created.length > 0) data.keys_created = created;
      return data;
    },
    async erase(person, pseudonym) {
      await requireOwnSchema(db);
      const rows = await inEachTable(ACCOUNTS_LAST, (table) => erase(table, person, pseudonym));
      const order = PERSONAL_TABLES.map(({ name }) => String(name));
      return rows.toSorted((one, other) => order.indexOf(one.table) - order.indexOf(other.table));
    },
    async secret() {
      return (await db.selectFrom("erasure_secret").select("secret").executeTakeFirst())?.secret;
    },
    async insertSecret(secret) {
      await db.insertInto("erasure_secret").values({ id: 1, secret }).execute();
    },
    async insertDigest(digest) {
      await db
        .insertInto("erased_people")
        .values({ digest })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async removeDigest(digest) {
      await db.deleteFrom("erased_people").where("digest", "=", digest).execute();
    },
    async knownDigests(digests) {
      const rows = db.selectFrom("erased_people").select("digest");
      const found = await inBatches(digests, (batch) => rows.where("digest", "in", batch).execute());
      return new Set(found.map(({ digest }) => digest));
    },
    async purge() {
      // Until then, the write-ahead log still contains the rows as they were before.
      if (engine === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(db);
    },
  };
}

async function inEachTable(
  tables: readonly Named[],
  countIn: (table: Named) => Promise<number | bigint>,
): Promise<PersonalRows[]> {
  const counts: PersonalRows[] = [];
  for (const table of tables) {
    const count = Number(await countIn(table));
    if (count > 0) counts.push({ table: table.name, action: table.rows, count });
  }
  return counts;
}

/** The names of the person in texts. A first name alone may be an ordinary word. */
function textsOf({ email, accountIds, names }: Person): string[] {
  return [email, ...accountIds, ...names.filter(isFullName)];
}

/** Rows that belong to the person, or in which one of the texts occurs. */
function mentions(table: Named, { email, accountIds, keyIds }: Person, texts: readonly string[]): RawBuilder<SqlBool> {
  const exact = columnsOf(table, "account").flatMap((column) =>
    accountIds.map((id) => sql`${sql.ref(column)} = ${id}`),
  );
  const addresses = columnsOf(table, "email").map((column) => sql`lower(${sql.ref(column)}) = ${email}`);
  const ids = texts.filter((text) => keyIds.includes(text));
  // The id of a key is its row's id, and the subject of its audit entries.
  const subjects = { keys: "id", audit: "subject" }[table.name as string];
  const keys = subjects && ids.length > 0 ? [sql`${sql.ref(subjects)} in (${sql.join(ids)})`] : [];
  const columns = columnsOf(table, "text", "state");
  const inTexts = columns.length > 0 && texts.length > 0 ? [contains(columns, texts)] : [];
  const all = [...exact, ...addresses, ...keys, ...inTexts];
  return all.length === 0 ? sql`false` : sql`(${sql.join(all, sql` or `)})`;
}

/** Keys belong to the organization, so they are neither deleted nor changed. The audit log says who created them. */
async function keysCreatedBy(db: Queries, { email }: Person): Promise<Row[]> {
  const entries = await db
    .selectFrom("audit")
    .select("subject")
    .where("action", "=", "key.created")
    .where("actor", "=", actorOf({ email }))
    .execute();
  const columns = ["id", "organization_id", "name", "prefix", "created", "expires", "last_used", "revoked"] as const;
  return inBatches(
    entries.map(({ subject }) => subject),
    (ids) => db.selectFrom("keys").select(columns).where("id", "in", ids).orderBy("id").execute(),
  );
}

/** Columns that are not about people. SQLite numbers attempts in a column that is no longer used. */
const BOOKKEEPING = ["revision", "number"];
const EMAIL = /[^\s"@]+@[^\s"@]+/;

/** Omits secrets, parses JSON and does not reveal other people. */
function readable(table: Named, row: Row, { email }: Person): Row {
  const omitted = [...columnsOf(table, "secret"), ...BOOKKEEPING];
  const states = columnsOf(table, "state");
  const shown = Object.entries(row).flatMap(([column, value]) => {
    if (omitted.includes(column)) return [];
    return [[column, states.includes(column) && typeof value === "string" ? JSON.parse(value) : value]];
  });
  const entry: Row = Object.fromEntries(shown);
  if (table.name !== "audit") return entry;
  const { actor, before, after } = entry;
  const isByOther = actor !== actorOf({ email });
  const namesOther = EMAIL.test(JSON.stringify([before, after]).toLowerCase().replaceAll(email, ""));
  return {
    ...entry,
    ...(isByOther && { actor: /^[a-z-]+(?=:|$)/.exec(String(actor))?.[0] ?? "other" }),
    ...(namesOther && { before: null, after: null }),
  };
}

function anonymized(table: Named, row: Row, { accountIds, email }: Person, eraser: Eraser): Row {
  const about = {
    isActor: row.actor === actorOf({ email }),
    isSubject: typeof row.subject === "string" && accountIds.includes(row.subject),
  };
  const isOwn = columnsOf(table, "email").some((column) => String(row[column]).toLowerCase() === email);
  const changes = Object.entries((table as PersonalTable).columns).map(([column, meaning]) => {
    const value = row[column];
    if (typeof value !== "string") return [column, value];
    if (table.name === "keys" && column === "name") return [column, eraser.keyName(String(row.id), value)];
    if (meaning === "state") return [column, JSON.stringify(eraser.state(JSON.parse(value), about))];
    if (meaning === "address") return [column, isOwn ? "" : value];
    // The text of an access request is the person's own, and so is their name.
    if (meaning === "own") return [column, isOwn ? (column === "message" ? "" : eraser.text(email)) : value];
    return [column, eraser.text(value)];
  });
  return Object.fromEntries(changes);
}
