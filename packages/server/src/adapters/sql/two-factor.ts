import type { Selectable } from "kysely";
import type { Passkey } from "../../domain/accounts/passkey.ts";
import type { TwoFactorStore } from "../../domain/accounts/store.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toFlag, toTime } from "./values.ts";

export function sqlTwoFactor(db: Queries): TwoFactorStore {
  const store: TwoFactorStore = {
    async passkeys(accountId) {
      const found = db.selectFrom("account_passkeys").selectAll().where("account_id", "=", accountId);
      return (await found.orderBy("id").execute()).map(toPasskey);
    },
    async byCredential(credentialId) {
      const found = db.selectFrom("account_passkeys").selectAll().where("credential_id", "=", credentialId);
      const row = await found.executeTakeFirst();
      return row && toPasskey(row);
    },
    async insertPasskey(passkey) {
      await db
        .insertInto("account_passkeys")
        .values({
          id: passkey.id,
          account_id: passkey.accountId,
          credential_id: passkey.credentialId,
          public_key: passkey.publicKey,
          counter: passkey.counter,
          transports: JSON.stringify(passkey.transports),
          name: passkey.name,
          created: toTime(passkey.created),
          last_used: toTime(passkey.lastUsed),
          signs_in_alone: toFlag(passkey.signsInAlone),
        })
        .execute();
    },
    async setUsed(id, counter, time, isAlone = false) {
      const changes = { counter, last_used: toTime(time), ...(isAlone && { signs_in_alone: toFlag(true) }) };
      const updated = db.updateTable("account_passkeys").set(changes).where("id", "=", id);
      return (await updated.returning("id").executeTakeFirst()) !== undefined;
    },
    async removePasskey(id) {
      await db.deleteFrom("account_passkeys").where("id", "=", id).execute();
    },
    async insertCodes(accountId, hashes) {
      const rows = hashes.map((hash) => ({ hash, account_id: accountId }));
      await db.insertInto("account_recovery_codes").values(rows).execute();
    },
    async countCodes(accountId) {
      const { count } = await db
        .selectFrom("account_recovery_codes")
        .select((select) => select.fn.countAll().as("count"))
        .where("account_id", "=", accountId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async removeCode(accountId, hash) {
      const removal = db.deleteFrom("account_recovery_codes").where("account_id", "=", accountId);
      return (await removal.where("hash", "=", hash).returning("hash").executeTakeFirst()) !== undefined;
    },
    async removeCodes(accountId) {
      await db.deleteFrom("account_recovery_codes").where("account_id", "=", accountId).execute();
    },
    async insertChallenge({ accountId, purpose, challenge, expires }, hash) {
      await db
        .insertInto("account_challenges")
        .values({ hash, account_id: accountId, purpose, challenge, expires: toTime(expires) })
        .execute();
    },
    async challenge(hash) {
      const row = await db.selectFrom("account_challenges").selectAll().where("hash", "=", hash).executeTakeFirst();
      if (!row) return undefined;
      const { account_id: accountId, purpose, challenge, expires } = row;
      return { accountId, purpose, challenge, expires: fromTime(expires) };
    },
    async removeChallenges(accountId) {
      await db.deleteFrom("account_challenges").where("account_id", "=", accountId).execute();
    },
    async removeExpiredChallenges(now) {
      await db.deleteFrom("account_challenges").where("expires", "<=", toTime(now)).execute();
      await db.deleteFrom("passkey_challenges").where("expires", "<=", toTime(now)).execute();
    },
    async insertOpenChallenge({ challenge, expires }, hash) {
      await db
        .insertInto("passkey_challenges")
        .values({ hash, challenge, expires: toTime(expires) })
        .execute();
    },
    async takeOpenChallenge(hash) {
      const removal = db.deleteFrom("passkey_challenges").where("hash", "=", hash);
      const row = await removal.returning(["challenge", "expires"]).executeTakeFirst();
      return row && { challenge: row.challenge, expires: fromTime(row.expires) };
    },
    async removeOfAccount(accountId) {
      await store.removeChallenges(accountId);
      await store.removeCodes(accountId);
      await db.deleteFrom("account_passkeys").where("account_id", "=", accountId).execute();
    },
  };
  return store;
}

function toPasskey(row: Selectable<Schema["account_passkeys"]>): Passkey {
  return {
    id: row.id,
    accountId: row.account_id,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    // PostgreSQL returns 64-bit integers as strings.
    counter: Number(row.counter),
    transports: JSON.parse(row.transports),
    name: row.name,
    created: fromTime(row.created),
    lastUsed: fromTime(row.last_used),
    signsInAlone: row.signs_in_alone === 1,
  };
}
