import { type RawBuilder, type SqlBool, sql } from "kysely";
import { actorOf } from "../../domain/access/account.ts";
import { Eraser, isPseudonym, type Person } from "../../domain/privacy/person.ts";
import type { PersonalRows, PrivacyStore, StoredData } from "../../domain/privacy/store.ts";
import type { Queries } from "./connection.ts";
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

export function sqlPrivacy(db: Queries, revision: () => number): PrivacyStore {
  const select = (name: keyof Schema, condition: RawBuilder<SqlBool>) =>
    db
      .selectFrom(name as "audit")
      .selectAll()
      .where(condition)
      .execute() as Promise<unknown> as Promise<Row[]>;

  async function condition(table: Named, person: Person): Promise<RawBuilder<SqlBool>> {
    return table.name === "attempts" ? attemptsOf(db, person) : mentions(table, person);
  }

  return {
    async emailOfDeleted(accountId) {
      const rows = db.selectFrom("audit").select(["before", "after"]).where("subject", "=", accountId);
      const states = (await rows.execute()).flatMap(({ before, after }) => [JSON.parse(before), JSON.parse(after)]);
      const email = states.find((state) => state?.id === accountId && typeof state.email === "string")?.email;
      return email === undefined || isPseudonym(email) ? undefined : email;
    },
    async find(email) {
      const account = await db
        .selectFrom("accounts")
        .select(["id", "name"])
        .where("email", "=", email)
        .executeTakeFirst();
      const invitations = await db
        .selectFrom("audit")
        .select(["subject", "after"])
        .where("action", "=", "account.invited")
        .where(contains(["after"], [email]))
        .execute();
      const earlier = invitations.filter(({ after }) => JSON.parse(after)?.email === email);
      const requests = await db
        .selectFrom("access_requests")
        .select("person_name as name")
        .distinct()
        .where("person_email", "=", email)
        .execute();
      return {
        email,
        accountIds: [...new Set([...(account ? [account.id] : []), ...earlier.map(({ subject }) => subject)])],
        names: [...new Set([account, ...requests].flatMap((found) => (found?.name ? [found.name] : [])))],
      };
    },
    async emailsOf(organizationId) {
      const accounts = db.selectFrom("accounts").select("email").where("organization_id", "=", organizationId);
      const requests = db
        .selectFrom("access_requests")
        .select("person_email as email")
        .where("organization_id", "=", organizationId);
      const rows = await accounts.union(requests).execute();
      return rows
        .map(({ email }) => email)
        .filter((email) => !isPseudonym(email))
        .sort();
    },
    async count(person) {
      const counts: PersonalRows[] = [];
      for (const table of PERSONAL_TABLES) {
        const { count } = await db
          .selectFrom(table.name as "audit")
          .select(sql<number>`count(*)`.as("count"))
          .where(await condition(table, person))
          .executeTakeFirstOrThrow();
        if (Number(count) > 0) counts.push({ table: table.name, action: table.rows, count: Number(count) });
      }
      return counts;
    },
    async export(person) {
      const data: StoredData = {};
      for (const table of PERSONAL_TABLES) {
        const rows = await select(table.name, await condition(table, person));
        if (rows.length > 0) data[table.name] = rows.map((row) => readable(table, row, person));
      }
      const created = await keysCreatedBy(db, person);
      if (created.length > 0) data.keys_created = created;
      return data;
    },
    async erase(person, pseudonym) {
      const eraser = new Eraser(person, pseudonym);
      // Comes first, because the addresses of sessions lead to the attempts.
      const attempts = await attemptsOf(db, person);
      await db.updateTable("attempts").set({ client_ip: null, user_agent: null }).where(attempts).execute();
      for (const table of ACCOUNTS_LAST) {
        if (table.name === "attempts") continue;
        const found = mentions(table, person);
        if (table.rows === "deleted") {
          await db.deleteFrom(table.name).where(found).execute();
          continue;
        }
        for (const row of await select(table.name, found)) {
          const changes: Row = {
            ...anonymized(table, row, person, eraser),
            ...(REVISED.has(table.name) && { revision: revision() }),
          };
          await db
            .updateTable(table.name as "audit")
            .set(changes as Partial<Schema["audit"]>)
            .where("id", "=", row.id as string)
            .execute();
        }
      }
    },
  };
}

/** Rows that belong to the person, or in which they are mentioned. */
function mentions(table: Named, { email, accountIds }: Person): RawBuilder<SqlBool> {
  const exact = columnsOf(table, "account").flatMap((column) =>
    accountIds.map((id) => sql`${sql.ref(column)} = ${id}`),
  );
  const addresses = columnsOf(table, "email").map((column) => sql`lower(${sql.ref(column)}) = ${email}`);
  const texts = columnsOf(table, "text", "state");
  const all = [...exact, ...addresses, ...(texts.length > 0 ? [contains(texts, [email, ...accountIds])] : [])];
  return all.length === 0 ? sql`false` : sql`(${sql.join(all, sql` or `)})`;
}

function contains(columns: readonly string[], texts: readonly string[]): RawBuilder<SqlBool> {
  const conditions = columns.flatMap((column) =>
    texts.map((text) => sql`lower(${sql.ref(column)}) like ${`%${text.replace(/[\\%_]/g, "\\$&")}%`} escape '\\'`),
  );
  return sql`(${sql.join(conditions, sql` or `)})`;
}

/**
 * The history names keys, not people. The attempts of a person are those of programs that they signed in, and downloads in the
 * console of their organization from an address that they signed in from.
 */
async function attemptsOf(db: Queries, { accountIds }: Person): Promise<RawBuilder<SqlBool>> {
  if (accountIds.length === 0) return sql`false`;
  const keys = await db
    .selectFrom("sign_ins")
    .innerJoin("keys", "keys.id", "sign_ins.key_id")
    .select(["keys.id", "keys.organization_id"])
    .where("sign_ins.account_id", "in", accountIds)
    .execute();
  const accounts = await db.selectFrom("accounts").select("organization_id").where("id", "in", accountIds).execute();
  const sessions = await db
    .selectFrom("account_sessions")
    .select("address")
    .where("account_id", "in", accountIds)
    .execute();
  const entries = await db
    .selectFrom("audit")
    .select("after")
    .where("subject", "in", accountIds)
    .where("action", "in", ["account.signed_in", "account.signed_out"])
    .execute();
  const recorded = entries.map(({ after }) => JSON.parse(after)?.address);
  const addresses = [...new Set([...sessions.map(({ address }) => address), ...recorded].filter(Boolean))];
  const ofKeys = keys.map(({ id, organization_id }) => sql`organization_id = ${organization_id} and key_id = ${id}`);
  const ofBrowsers = accounts.flatMap(({ organization_id: id }) =>
    id === null || addresses.length === 0
      ? []
      : [sql`organization_id = ${id} and key_id is null and client_ip in (${sql.join(addresses)})`],
  );
  const all = [...ofKeys, ...ofBrowsers];
  if (all.length === 0) return sql`false`;
  return sql`(${sql.join(all, sql` or `)}) and (client_ip is not null or user_agent is not null)`;
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
    if (meaning === "state") return [column, JSON.stringify(eraser.state(JSON.parse(value), about))];
    if (meaning === "address") return [column, isOwn ? "" : value];
    // The text of an access request is the person's own, and so is their name.
    if (meaning === "own") return [column, isOwn ? (column === "message" ? "" : eraser.text(email)) : value];
    return [column, eraser.text(value)];
  });
  return Object.fromEntries(changes);
}
