import type { Selectable } from "kysely";
import type { Session } from "../../domain/access/session.ts";
import type { AccountStore, LinkStore, SessionStore } from "../../domain/accounts/store.ts";
import type { OrganizationStore } from "../../domain/organizations/store.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

export function sqlSessions(
  db: Queries,
  accounts: AccountStore,
  organizations: Pick<OrganizationStore, "byId">,
): SessionStore {
  return {
    async insert(session, hash) {
      await db
        .insertInto("account_sessions")
        .values({
          hash,
          id: session.id,
          account_id: session.accountId,
          created: toTime(session.created),
          last_seen: toTime(session.lastSeen),
          address: session.address,
          user_agent: session.userAgent,
          second_factor: session.secondFactor,
          viewed_organization_id: null,
        })
        .execute();
    },
    async byHash(hash) {
      const row = await db.selectFrom("account_sessions").selectAll().where("hash", "=", hash).executeTakeFirst();
      const account = row && (await accounts.byId(row.account_id));
      if (!account) return undefined;
      const { viewed_organization_id: viewedId } = row;
      const viewed = viewedId === null ? undefined : await organizations.byId(viewedId);
      return { session: toSession(row), account, ...(viewed && { viewed }) };
    },
    async setViewed(id, organizationId) {
      await db
        .updateTable("account_sessions")
        .set({ viewed_organization_id: organizationId })
        .where("id", "=", id)
        .execute();
    },
    async list(accountId) {
      const found = db.selectFrom("account_sessions").selectAll().where("account_id", "=", accountId);
      return (await found.orderBy("id", "desc").execute()).map(toSession);
    },
    async setLastSeen(id, time) {
      await db
        .updateTable("account_sessions")
        .set({ last_seen: toTime(time) })
        .where("id", "=", id)
        .execute();
    },
    async setSecondFactor(id, factor) {
      await db.updateTable("account_sessions").set({ second_factor: factor }).where("id", "=", id).execute();
    },
    async remove(id) {
      await db.deleteFrom("account_sessions").where("id", "=", id).execute();
    },
    async removeOfAccount(accountId, except) {
      let removal = db.deleteFrom("account_sessions").where("account_id", "=", accountId);
      if (except !== undefined) removal = removal.where("id", "!=", except);
      await removal.execute();
    },
    async removeOfOrganization(organizationId) {
      const members = db.selectFrom("accounts").select("id").where("organization_id", "=", organizationId);
      await db.deleteFrom("account_sessions").where("account_id", "in", members).execute();
    },
    async removeEnded({ lastSeen, created }) {
      await db
        .deleteFrom("account_sessions")
        .where((where) =>
          where.or([where("last_seen", "<=", toTime(lastSeen)), where("created", "<=", toTime(created))]),
        )
        .execute();
    },
    async clearAddresses(time) {
      const { numUpdatedRows } = await db
        .updateTable("account_sessions")
        .set({ address: "", user_agent: "" })
        .where("created", "<", toTime(time))
        .where((where) => where.or([where("address", "<>", ""), where("user_agent", "<>", "")]))
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
  };
}

export function sqlLinks(db: Queries): LinkStore {
  return {
    async insert({ accountId, purpose, created, expires }, hash, mailId) {
      await db
        .insertInto("account_links")
        .values({
          hash,
          account_id: accountId,
          purpose,
          created: toTime(created),
          expires: toTime(expires),
          mail_id: mailId ?? null,
        })
        .execute();
    },
    async byHash(hash) {
      const row = await db.selectFrom("account_links").selectAll().where("hash", "=", hash).executeTakeFirst();
      if (!row) return undefined;
      const { account_id: accountId, purpose, created, expires } = row;
      return { accountId, purpose, created: fromTime(created), expires: fromTime(expires) };
    },
    async removeOfAccount(accountId) {
      await db.deleteFrom("account_links").where("account_id", "=", accountId).execute();
    },
    async removeOfMail(mailId) {
      await db.deleteFrom("account_links").where("mail_id", "=", mailId).execute();
    },
    async removeExpired(now) {
      await db.deleteFrom("account_links").where("expires", "<=", toTime(now)).execute();
    },
  };
}

function toSession(row: Selectable<Schema["account_sessions"]>): Session {
  return {
    id: row.id,
    accountId: row.account_id,
    created: fromTime(row.created),
    lastSeen: fromTime(row.last_seen),
    address: row.address,
    userAgent: row.user_agent,
    secondFactor: row.second_factor,
  };
}
