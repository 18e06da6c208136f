import { type Selectable, sql } from "kysely";
import type { Recipient } from "../../domain/notices/recipient.ts";
import type { NoticeStore } from "../../domain/notices/store.ts";
import { NOTIFIED_ROLES } from "../../domain/notices/topics.ts";
import { selectAccounts, toAccount } from "./accounts.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

type RecipientRow = Selectable<Schema["notice_recipients"]>;

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
