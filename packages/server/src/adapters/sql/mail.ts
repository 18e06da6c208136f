import { type Selectable, sql } from "kysely";
import type { MailContent, OutboxEntry } from "../../domain/mail/outgoing-mail.ts";
import type { MailStore } from "../../domain/mail/store.ts";
import { isFree, sqlClaims, UNCLAIMED } from "./claims.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

type MailRow = Selectable<Schema["outbox"]>;

/** `unwritten` is `waiting` without a stored content. Servers of the previous version do not know it, so they leave it alone. */
const WAITING = ["waiting", "unwritten"] as const;

export function sqlMail(db: Queries): MailStore {
  const claims = sqlClaims(db, "outbox");
  const mails = db.selectFrom("outbox").selectAll();
  return {
    async insert({ id, kind, accountId, to, about, content, created }, nextAttempt) {
      await db
        .insertInto("outbox")
        .values({
          id,
          kind,
          account_id: accountId ?? "",
          recipient: to,
          about,
          subject: content?.subject ?? "",
          text: content?.text ?? "",
          html: content?.html ?? "",
          unsubscribe_url: content?.unsubscribeUrl ?? "",
          created: toTime(created),
          state: content ? "waiting" : "unwritten",
          attempts: 0,
          next_attempt: toTime(nextAttempt),
          begun: null,
          error: null,
          ...UNCLAIMED,
        })
        .execute();
    },
    async byId(id) {
      const row = await mails.where("id", "=", id).executeTakeFirst();
      return row && toEntry(row);
    },
    async list(limit) {
      return (await mails.orderBy("id", "desc").limit(limit).execute()).map(toEntry);
    },
    async counts() {
      const rows = await db
        .selectFrom("outbox")
        .select(({ fn }) => ["state", fn.countAll<number>().as("count")])
        .groupBy("state")
        .execute();
      const count = (...states: MailRow["state"][]) =>
        rows.reduce((sum, row) => sum + (states.includes(row.state) ? Number(row.count) : 0), 0);
      return { waiting: count(...WAITING, "sending"), failed: count("failed"), unknown: count("unknown") };
    },
    async removeWaiting(accountId, kinds) {
      const waiting = db.deleteFrom("outbox").where("account_id", "=", accountId).where("state", "in", WAITING);
      await (kinds ? waiting.where("kind", "in", kinds) : waiting).execute();
    },
    async latestAbout(about) {
      const row = await db
        .selectFrom("outbox")
        .select("id")
        .where("about", "=", about)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      return row?.id;
    },
    async due(now, limit) {
      const rows = await db
        .selectFrom("outbox")
        .select("id")
        .where("state", "in", WAITING)
        .where("next_attempt", "<=", toTime(now))
        .orderBy("next_attempt")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async begin(id, claim, now, dueBefore = now) {
      const isDue = sql<boolean>`(state in (${sql.join(WAITING)}) and next_attempt <= ${toTime(dueBefore)})`;
      const attempts = sql<number>`attempts + 1`;
      const row = await claims.claim(id, claim, now, isDue, { state: "sending", begun: toTime(now), attempts });
      return row && toEntry(row);
    },
    extend: (id, claim) => claims.extend(id, claim),
    async settle(id, by, { state, nextAttempt, error }) {
      const stored = sql<
        MailRow["state"]
      >`case when ${state} = 'waiting' and subject = '' then 'unwritten' else ${state} end`;
      await claims.release(id, by, { state: stored, next_attempt: toTime(nextAttempt), error });
    },
    drop: (id, by) => claims.finish(id, by),
    async abandon(now) {
      // The claim is kept, so that a process that was only slow can still store the result.
      const rows = await db
        .updateTable("outbox")
        .set({ state: "unknown", next_attempt: null, error: "the server stopped while it was sending the e-mail" })
        .where("state", "=", "sending")
        .where(isFree(now))
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

function toEntry(row: MailRow): OutboxEntry {
  return {
    id: row.id,
    kind: row.kind,
    accountId: row.account_id === "" ? null : row.account_id,
    to: row.recipient,
    about: row.about,
    content: row.subject === "" ? null : toContent(row),
    created: fromTime(row.created),
    state: row.state === "unwritten" ? "waiting" : row.state,
    attempts: row.attempts,
    nextAttempt: fromTime(row.next_attempt),
    begun: fromTime(row.begun),
    error: row.error,
  };
}

function toContent({ subject, text, html, unsubscribe_url: unsubscribeUrl }: MailRow): MailContent {
  return { subject, text, ...(html && { html }), ...(unsubscribeUrl && { unsubscribeUrl }) };
}
