import { type Selectable, sql } from "kysely";
import type { OutboxEntry } from "../../domain/notices/outgoing-mail.ts";
import type { Recipient } from "../../domain/notices/recipient.ts";
import type { NoticeStore } from "../../domain/notices/store.ts";
import { NOTIFIED_ROLES } from "../../domain/notices/topics.ts";
import { selectAccounts, toAccount } from "./accounts.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

type RecipientRow = Selectable<Schema["notice_recipients"]>;
type MailRow = Selectable<Schema["outbox"]>;

export function sqlNotices(db: Queries): NoticeStore {
  const recipients = db.selectFrom("notice_recipients").selectAll();
  return {
    async recipient(accountId) {
      const row = await recipients.where("account_id", "=", accountId).executeTakeFirst();
      return row && toRecipient(row);
    },
    async recipientByToken(token) {
      const row = await recipients.where("token", "=", token).executeTakeFirst();
      return row && toRecipient(row);
    },
    async saveRecipient(recipient) {
      const { account_id: accountId, ...changes } = toRecipientRow(recipient);
      await db
        .insertInto("notice_recipients")
        .values({ account_id: accountId, ...changes })
        .onConflict((conflict) => conflict.column("account_id").doUpdateSet(changes))
        .execute();
    },
    async due(before, limit) {
      const rows = await selectAccounts(db)
        .leftJoin("notice_recipients", "notice_recipients.account_id", "accounts.id")
        .select(["account_id", "token", "off", "digested", "position_revision", "position_id"])
        .where("accounts.role", "in", NOTIFIED_ROLES)
        .where("accounts.disabled", "is", null)
        .where("organizations.archived", "is", null)
        .where(sql`coalesce(notice_recipients.digested, accounts.created)`, "<", toTime(before))
        .orderBy("accounts.id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        account: toAccount(row),
        recipient: row.account_id === null ? undefined : toRecipient(row as RecipientRow),
      }));
    },
    async insertMail({ accountId, to, unsubscribeUrl, created, ...mail }) {
      const row = { ...mail, account_id: accountId, recipient: to, unsubscribe_url: unsubscribeUrl };
      const waiting = { state: "waiting", attempts: 0, begun: null, error: null } as const;
      await db
        .insertInto("outbox")
        .values({ ...row, ...waiting, created: toTime(created), next_attempt: toTime(created) })
        .execute();
    },
    async mails(limit) {
      return (await db.selectFrom("outbox").selectAll().orderBy("id", "desc").limit(limit).execute()).map(toEntry);
    },
    async counts() {
      const rows = await db
        .selectFrom("outbox")
        .select(({ fn }) => ["state", fn.countAll<number>().as("count")])
        .groupBy("state")
        .execute();
      const count = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
      return { waiting: count("waiting") + count("sending"), failed: count("failed"), unknown: count("unknown") };
    },
    async removeWaiting(accountId) {
      await db.deleteFrom("outbox").where("account_id", "=", accountId).where("state", "=", "waiting").execute();
    },
    async mailsDue(now, limit) {
      const rows = await db
        .selectFrom("outbox")
        .select("id")
        .where("state", "=", "waiting")
        .where("next_attempt", "<=", toTime(now))
        .orderBy("next_attempt")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async begin(id, now) {
      const row = await db
        .updateTable("outbox")
        .set((set) => ({ state: "sending", begun: toTime(now), attempts: set("attempts", "+", 1) }))
        .where("id", "=", id)
        .where("state", "=", "waiting")
        .where("next_attempt", "<=", toTime(now))
        .returningAll()
        .executeTakeFirst();
      return row && toEntry(row);
    },
    async settle(id, { state, nextAttempt, error }) {
      await db
        .updateTable("outbox")
        .set({ state, next_attempt: toTime(nextAttempt), error })
        .where("id", "=", id)
        .where("state", "in", ["sending", "unknown"])
        .execute();
    },
    async abandon(time) {
      const rows = await db
        .updateTable("outbox")
        .set({ state: "unknown", next_attempt: null, error: "the server stopped while it was sending the e-mail" })
        .where("state", "=", "sending")
        .where("begun", "<", toTime(time))
        .returning("id")
        .execute();
      return rows.map(({ id }) => id);
    },
    async removeFinished(time) {
      await db
        .deleteFrom("outbox")
        .where("state", "in", ["sent", "failed", "unknown"])
        .where("created", "<", toTime(time))
        .execute();
    },
  };
}

function toRecipient(row: RecipientRow): Recipient {
  const { position_revision: revision, position_id: id } = row;
  return {
    accountId: row.account_id,
    token: row.token,
    off: JSON.parse(row.off),
    digested: fromTime(row.digested),
    position: revision === null || id === null ? null : { revision, id },
  };
}

function toRecipientRow({ accountId, token, off, digested, position }: Recipient): RecipientRow {
  return {
    account_id: accountId,
    token,
    off: JSON.stringify(off),
    digested: toTime(digested),
    position_revision: position?.revision ?? null,
    position_id: position?.id ?? null,
  };
}

function toEntry(row: MailRow): OutboxEntry {
  return {
    id: row.id,
    accountId: row.account_id,
    to: row.recipient,
    subject: row.subject,
    text: row.text,
    html: row.html,
    unsubscribeUrl: row.unsubscribe_url,
    created: fromTime(row.created),
    state: row.state,
    attempts: row.attempts,
    nextAttempt: fromTime(row.next_attempt),
    begun: fromTime(row.begun),
    error: row.error,
  };
}
