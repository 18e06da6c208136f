import type { AccountSort } from "@dbdepot/contract/console/accounts";
import { type Selectable, sql } from "kysely";
import type { Account, AccountWithOrganization } from "../../domain/access/account.ts";
import type { AccountStore } from "../../domain/accounts/store.ts";
import type { Queries } from "./connection.ts";
import { type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

type AccountRow = Omit<Selectable<Schema["accounts"]>, "password_hash" | "oidc_issuer" | "oidc_subject">;

const COLUMNS: ListColumns<AccountSort> = {
  sorts: {
    email: sql.ref<string>("accounts.email"),
    name: sql<string>`lower(coalesce(nullif(accounts.name, ''), accounts.email))`,
    // The vendor's own people come first.
    organization: sql<string>`lower(coalesce(organizations.name, ''))`,
    role: sql.ref<string>("accounts.role"),
    created: sql.ref<string>("accounts.created"),
    last_sign_in: sql<string>`coalesce(accounts.last_sign_in, '')`,
  },
  default: "email",
  id: sql.ref("accounts.id"),
  searched: [sql.ref("accounts.name"), sql.ref("accounts.email"), sql.ref("organizations.name")],
};

export function sqlAccounts(db: Queries): AccountStore {
  const accounts: AccountStore = {
    async insert(account) {
      await db
        .insertInto("accounts")
        .values({ ...accountRow(account), password_hash: null, oidc_issuer: null, oidc_subject: null })
        .execute();
    },
    async byId(id) {
      const row = await selectAccounts(db).where("accounts.id", "=", id).executeTakeFirst();
      return row && toAccount(row);
    },
    async byEmail(email) {
      const row = await selectAccounts(db).where("accounts.email", "=", email).executeTakeFirst();
      return row && toAccount(row);
    },
    list: async (filter = {}) => (await accounts.page(filter, {})).items,
    async page({ organizationId, roles }, request) {
      let found = selectAccounts(db);
      if (organizationId !== undefined) found = found.where("accounts.organization_id", "=", organizationId);
      if (roles !== undefined) found = found.where("accounts.role", "in", roles);
      return selectPage(found, COLUMNS, request, toAccount);
    },
    async update(account) {
      const { id, ...changes } = accountRow(account);
      await db.updateTable("accounts").set(changes).where("id", "=", id).execute();
    },
    async remove(id) {
      await db.deleteFrom("notice_recipients").where("account_id", "=", id).execute();
      await db.deleteFrom("outbox").where("account_id", "=", id).execute();
      await db.deleteFrom("accounts").where("id", "=", id).execute();
    },
    async passwordHash(id) {
      const row = await db.selectFrom("accounts").select("password_hash").where("id", "=", id).executeTakeFirst();
      return row?.password_hash ?? null;
    },
    async setPasswordHash(id, hash) {
      await db.updateTable("accounts").set({ password_hash: hash }).where("id", "=", id).execute();
    },
    async byIdentity({ issuer, subject }) {
      const row = await selectAccounts(db)
        .where("accounts.oidc_issuer", "=", issuer)
        .where("accounts.oidc_subject", "=", subject)
        .executeTakeFirst();
      return row && toAccount(row);
    },
    async identity(id) {
      const row = await db
        .selectFrom("accounts")
        .select(["oidc_issuer as issuer", "oidc_subject as subject"])
        .where("id", "=", id)
        .executeTakeFirst();
      const { issuer = null, subject = null } = row ?? {};
      return issuer !== null && subject !== null ? { issuer, subject } : null;
    },
    async setIdentity(id, identity) {
      const columns = { oidc_issuer: identity?.issuer ?? null, oidc_subject: identity?.subject ?? null };
      await db.updateTable("accounts").set(columns).where("id", "=", id).execute();
    },
  };
  return accounts;
}

const ACCOUNT_COLUMNS = [
  "accounts.id",
  "accounts.email",
  "accounts.name",
  "accounts.role",
  "accounts.organization_id",
  "accounts.created",
  "accounts.last_sign_in",
  "accounts.disabled",
  "organizations.name as organization_name",
  "organizations.archived as organization_archived",
] as const;

export function selectAccounts(db: Queries) {
  return db
    .selectFrom("accounts")
    .leftJoin("organizations", "organizations.id", "accounts.organization_id")
    .select(ACCOUNT_COLUMNS);
}

export function toAccount(
  row: AccountRow & { organization_name: string | null; organization_archived: string | null },
): AccountWithOrganization {
  const { organization_id: organizationId, organization_name: name, organization_archived: archived } = row;
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    organizationId,
    created: fromTime(row.created),
    lastSignIn: fromTime(row.last_sign_in),
    disabled: fromTime(row.disabled),
    organization:
      organizationId === null ? null : { id: organizationId, name: name ?? "", archived: fromTime(archived) },
  };
}

export function accountRow(account: Account): AccountRow {
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    role: account.role,
    organization_id: account.organizationId,
    created: toTime(account.created),
    last_sign_in: toTime(account.lastSignIn),
    disabled: toTime(account.disabled),
  };
}
