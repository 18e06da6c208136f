import { type RawBuilder, type SqlBool, sql } from "kysely";
import { actorOf } from "../../domain/access/account.ts";
import { isPseudonym } from "../../domain/access/person.ts";
import type { Person } from "../../domain/privacy/person.ts";
import type { Queries } from "./connection.ts";
import { inBatches } from "./values.ts";

/** The columns that the audit log has about an account, a key or an approval. */
type State = Partial<Record<"id" | "email" | "name" | "organizationId" | "host" | "address", string | null>>;

interface Entry {
  action: string;
  subject: string;
  before: State | null;
  after: State | null;
}

/** Collects everything by which stored data refers to the person with this address, also after the account was deleted. */
export async function findPerson(db: Queries, email: string): Promise<Person> {
  const account = await db
    .selectFrom("accounts")
    .select(["id", "name", "organization_id"])
    .where("email", "=", email)
    .executeTakeFirst();
  const earlier = await accountIdsOf(db, email);
  const accountIds = [...new Set([...(account ? [account.id] : []), ...earlier])];
  const about = await entries(db, accountIds);
  const by = await entriesBy(db, actorOf({ email }));
  const states = about.flatMap(({ before, after }) => [before, after]);
  const keys = await keysOf(db, accountIds, by);
  const browsers = await addressesOf(db, accountIds);
  const approvals = by.filter(({ action }) => action.startsWith("sign_in.")).map(({ after }) => after);
  const accounts = states.filter((state) => state?.id !== undefined && accountIds.includes(state.id ?? ""));
  const viewed = by.filter(({ action }) => action === "session.viewed_as").map(({ subject }) => subject);
  return {
    email,
    accountIds,
    names: distinct([account?.name, ...accounts.map((state) => state?.name), ...(await namesOf(db, email))]),
    organizationIds: distinct([account?.organization_id, ...accounts.map((state) => state?.organizationId), ...viewed]),
    addresses: distinct([...browsers, ...states.map((state) => state?.address)]),
    keyIds: keys.all,
    programKeyIds: keys.programs,
    machines: distinct([...keys.machines, ...approvals.flatMap((state) => [state?.host, state?.address])]),
  };
}

/** The address of an account that was deleted, from the audit log. */
export async function emailOfDeleted(db: Queries, accountId: string): Promise<string | undefined> {
  const states = (await entries(db, [accountId])).flatMap(({ before, after }) => [before, after]);
  const email = states.find((state) => state?.id === accountId && typeof state.email === "string")?.email;
  return !email || isPseudonym(email) ? undefined : email;
}

/** The addresses of everyone who belongs or belonged to an organization, or asked for access in its name. */
export async function emailsOf(db: Queries, organizationId: string): Promise<string[]> {
  const accounts = db.selectFrom("accounts").select("email").where("organization_id", "=", organizationId);
  const requests = db
    .selectFrom("access_requests")
    .select("person_email as email")
    .where("organization_id", "=", organizationId);
  const acceptances = db.selectFrom("terms_acceptances").select("email").where("organization_id", "=", organizationId);
  const current = await accounts.union(requests).union(acceptances).execute();
  const deleted = await db
    .selectFrom("audit")
    .select("before")
    .where("action", "=", "account.deleted")
    .where("before", "like", `%"${organizationId}"%`)
    .execute();
  const states = deleted.map(({ before }) => JSON.parse(before) as State | null);
  const gone = states.filter((state) => state?.organizationId === organizationId).map((state) => state?.email);
  return distinct([...current.map(({ email }) => email.toLowerCase()), ...gone])
    .filter((email) => !isPseudonym(email))
    .sort();
}

/**
 * The history names keys, not people. The attempts of a person are those of programs that they signed in, and downloads in the
 * console of their organization from an address that they signed in from.
 */
export function attemptsOf({ programKeyIds, organizationIds, addresses }: Person): RawBuilder<SqlBool> {
  const isProgram = sql`key_id in (${list(programKeyIds)})`;
  const isBrowser = sql`key_id is null and organization_id in (${list(organizationIds)}) and client_ip in (${list(addresses)})`;
  return sql`(${isProgram} or ${isBrowser}) and (client_ip is not null or user_agent is not null)`;
}

/** SQL has no empty lists. */
function list(values: readonly string[]): RawBuilder<unknown> {
  return values.length === 0 ? sql`null` : sql.join(values);
}

/** The ids of all accounts that had this address. */
async function accountIdsOf(db: Queries, email: string): Promise<string[]> {
  const found = await db
    .selectFrom("audit")
    .select(["subject", "before", "after"])
    .where("action", "in", ["account.invited", "account.deleted"])
    .where(contains(["before", "after"], [email]))
    .execute();
  const own = found.filter(({ before, after }) =>
    [before, after].some((state) => JSON.parse(state)?.email?.toLowerCase() === email),
  );
  const acceptances = db.selectFrom("terms_acceptances").select("account_id").where("email", "=", email);
  return [...own.map(({ subject }) => subject), ...(await acceptances.execute()).map(({ account_id: id }) => id)];
}

async function namesOf(db: Queries, email: string): Promise<string[]> {
  const requests = db.selectFrom("access_requests").select("person_name as name").where("person_email", "=", email);
  const acceptances = db.selectFrom("terms_acceptances").select("name").where("email", "=", email);
  return (await requests.union(acceptances).execute()).map(({ name }) => name);
}

/** Returns the addresses of the person's browsers. */
async function addressesOf(db: Queries, accountIds: readonly string[]): Promise<string[]> {
  if (accountIds.length === 0) return [];
  const sessions = db.selectFrom("account_sessions").select("address").where("account_id", "in", accountIds);
  const acceptances = db.selectFrom("terms_acceptances").select("address").where("account_id", "in", accountIds);
  return (await sessions.union(acceptances).execute()).map(({ address }) => address);
}

/**
 * The keys that the person created, and those of programs that they signed in, which are named after the machine. Earlier versions
 * deleted program keys that had ended: their keys have a name that ends with a machine that the person approved.
 */
async function keysOf(db: Queries, accountIds: readonly string[], by: readonly Entry[]) {
  const created = by.filter(({ action }) => action === "key.created");
  const approved = by.filter(({ action }) => action === "sign_in.approved");
  const machines = new Set(approved.flatMap(({ after }) => after?.host ?? after?.address ?? []));
  const earlier = created.filter(({ after }) => machines.has(machineIn(after?.name) ?? ""));
  const programKeys = await inBatches(accountIds, (ids) =>
    db.selectFrom("sign_ins").select("key_id").where("account_id", "in", ids).execute(),
  );
  const programs = distinct([...programKeys.map(({ key_id: id }) => id), ...earlier.map(({ subject }) => subject)]);
  const current = await inBatches(programs, (ids) =>
    db.selectFrom("keys").select("name").where("id", "in", ids).execute(),
  );
  const original = created.filter(({ subject }) => programs.includes(subject)).map(({ after }) => after?.name);
  return {
    all: distinct([...programs, ...created.map(({ subject }) => subject)]),
    programs,
    machines: distinct([...current.map(({ name }) => name), ...original].map(machineIn)),
  };
}

/** The key of a program is named like `dbdepot on build-7`. */
function machineIn(name: string | null | undefined): string | undefined {
  return name?.match(/ on (.+)$/)?.[1];
}

async function entries(db: Queries, subjects: readonly string[]): Promise<Entry[]> {
  const found = await inBatches(subjects, (ids) =>
    db.selectFrom("audit").select(["action", "subject", "before", "after"]).where("subject", "in", ids).execute(),
  );
  return found.map(toEntry);
}

async function entriesBy(db: Queries, actor: string): Promise<Entry[]> {
  const found = db
    .selectFrom("audit")
    .select(["action", "subject", "before", "after"])
    .where("actor", "=", actor)
    .where("action", "in", ["key.created", "sign_in.approved", "sign_in.denied", "session.viewed_as"]);
  return (await found.execute()).map(toEntry);
}

function toEntry(row: { action: string; subject: string; before: string; after: string }): Entry {
  return { ...row, before: JSON.parse(row.before), after: JSON.parse(row.after) };
}

/** Leaves out texts that are missing or empty. */
function distinct(texts: readonly (string | null | undefined)[]): string[] {
  return [...new Set(texts.filter((text): text is string => typeof text === "string" && text !== ""))];
}

/**
 * Whether one of the columns contains one of the texts. SQLite converts only ASCII to lower case, so each text is looked for in
 * several spellings.
 */
export function contains(columns: readonly string[], texts: readonly string[]): RawBuilder<SqlBool> {
  const spellings = new Set(texts.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()].map(asciiLower)));
  const conditions = columns.flatMap((column) =>
    [...spellings].map(
      (text) =>
        sql`lower(${sql.ref(column)}) like ${`%${text.replace(/[%_]/g, "\\$&").replace(/["\\]/g, "%")}%`} escape '\\'`,
    ),
  );
  return sql`(${sql.join(conditions, sql` or `)})`;
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
