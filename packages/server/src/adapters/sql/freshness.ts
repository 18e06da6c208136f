import type { Selectable } from "kysely";
import type { Freshness, FreshnessKey } from "../../domain/manifests/freshness.ts";
import type { FreshnessKeyStore, FreshnessStore } from "../../domain/manifests/store.ts";
import type { Queries } from "./connection.ts";
import { toChainEntry } from "./manifests.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toFlag, toTime } from "./values.ts";

export function sqlFreshness(db: Queries, revision: () => number): FreshnessStore {
  return {
    async find(versionId) {
      const row = await db
        .selectFrom("freshness_statements")
        .selectAll()
        .where("version_id", "=", versionId)
        .executeTakeFirst();
      return row && toFreshness(row);
    },
    async put({ versionId, sequence, body, signature, keyId, issued, validUntil, renewal }) {
      const row = {
        revision: revision(),
        sequence,
        body,
        signature,
        key_id: keyId,
        issued: toTime(issued),
        valid_until: toTime(validUntil),
        renewal: toTime(renewal),
      };
      await db
        .insertInto("freshness_statements")
        .values({ version_id: versionId, ...row })
        .onConflict((conflict) => conflict.column("version_id").doUpdateSet(row))
        .execute();
    },
    async due({ keyId, now, limit }) {
      const rows = await db
        .selectFrom("manifests")
        .innerJoin("signing_keys", "signing_keys.key_id", "manifests.key_id")
        .leftJoin("freshness_statements as statements", "statements.version_id", "manifests.version_id")
        .selectAll("manifests")
        .where("signing_keys.imported", "=", 0)
        .where("manifests.sequence", "=", (newest) =>
          newest
            .selectFrom("manifests as others")
            .select(({ fn }) => fn.max("others.sequence").as("sequence"))
            .whereRef("others.version_id", "=", "manifests.version_id"),
        )
        .where((where) =>
          where.or([
            where("statements.sequence", "is", null),
            where("statements.sequence", "<>", where.ref("manifests.sequence")),
            where("statements.key_id", "<>", keyId),
            where("statements.renewal", "<=", toTime(now)),
          ]),
        )
        .orderBy("manifests.version_id")
        .limit(limit)
        .execute();
      return rows.map(toChainEntry);
    },
  };
}

export function sqlFreshnessKeys(db: Queries, revision: () => number): FreshnessKeyStore {
  return {
    async insert({ keyId, publicKey, created, expires, replaced, isRevoked, endorsement, isImported }) {
      await db
        .insertInto("freshness_keys")
        .values({
          key_id: keyId,
          revision: revision(),
          public_key: publicKey,
          created: toTime(created),
          expires: toTime(expires),
          replaced: toTime(replaced),
          revoked: toFlag(isRevoked),
          endorsement: endorsement.statement,
          endorsement_signature: endorsement.signature,
          imported: toFlag(isImported),
        })
        .execute();
    },
    async setReplaced(keyId, { replaced, isRevoked }) {
      await db
        .updateTable("freshness_keys")
        .set({ replaced: toTime(replaced), revoked: toFlag(isRevoked), revision: revision() })
        .where("key_id", "=", keyId)
        .execute();
    },
    async setEndorsement(keyId, { statement, signature }) {
      await db
        .updateTable("freshness_keys")
        .set({ endorsement: statement, endorsement_signature: signature, revision: revision() })
        .where("key_id", "=", keyId)
        .execute();
    },
    async list() {
      const rows = await db.selectFrom("freshness_keys").selectAll().orderBy("created").orderBy("key_id").execute();
      return rows.map(toFreshnessKey);
    },
  };
}

export function toFreshnessKey(row: Selectable<Schema["freshness_keys"]>): FreshnessKey {
  return {
    keyId: row.key_id,
    publicKey: row.public_key,
    created: fromTime(row.created),
    expires: fromTime(row.expires),
    replaced: fromTime(row.replaced),
    isRevoked: row.revoked === 1,
    endorsement: { statement: row.endorsement, signature: row.endorsement_signature },
    isImported: row.imported === 1,
  };
}

export function toFreshness(row: Selectable<Schema["freshness_statements"]>): Freshness {
  return {
    versionId: row.version_id,
    sequence: row.sequence,
    body: row.body,
    signature: row.signature,
    keyId: row.key_id,
    issued: fromTime(row.issued),
    validUntil: fromTime(row.valid_until),
    renewal: fromTime(row.renewal),
  };
}
