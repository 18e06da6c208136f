import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Puts invitations, password resets and e-mails about access requests into the outbox, and says which e-mail issued a link. */
export const urgentMail: Migration = {
  name: "0036-urgent-mail",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    const kind = schema.alterTable("outbox").addColumn("kind", text, (column) => column.notNull().defaultTo("digest"));
    await kind.execute();
    await schema.alterTable("outbox").addColumn("about", text).execute();
    await schema.createIndex("outbox_about").on("outbox").column("about").execute();
    await schema.alterTable("account_links").addColumn("mail_id", text).execute();
  },
};
