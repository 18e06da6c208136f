import type { Selectable } from "kysely";
import type { ChainEntry } from "../../domain/manifests/manifest.ts";
import type { SigningKey } from "../../domain/manifests/signing-key.ts";
import type { ManifestStore, SigningKeyStore } from "../../domain/manifests/store.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toFlag, toTime } from "./values.ts";

export function sqlManifests(db: Queries, revision: () => number): ManifestStore {
  const newestFirst = db.selectFrom("manifests").selectAll().orderBy("sequence", "desc").limit(1);
  return {
    async append({ versionId, sequence, buildId, body, signature, keyId, created }) {
      await db
        .insertInto("manifests")
        .values({
          version_id: versionId,
          sequence,
          revision: revision(),
          build_id: buildId,
          body,
          signature,
          key_id: keyId,
          created: toTime(created),
        })
        .execute();
    },
    async latest(versionId) {
      const row = await newestFirst.where("version_id", "=", versionId).executeTakeFirst();
      return row && toChainEntry(row);
    },
    async bySequence(versionId, sequence) {
      const row = await newestFirst
        .where("version_id", "=", versionId)
        .where("sequence", "=", sequence)
        .executeTakeFirst();
      return row && toChainEntry(row);
    },
    async byBuild(versionId, buildId) {
      // The id may come straight from a URL, and PostgreSQL rejects NUL characters.
      if (!isUuid(buildId)) return undefined;
      const row = await newestFirst
        .where("version_id", "=", versionId)
        .where("build_id", "=", buildId)
        .executeTakeFirst();
      return row && toChainEntry(row);
    },
    async signaturesOf(versionId, buildIds) {
      const rows = await inBatches(buildIds, (batch) =>
        db
          .selectFrom("manifests")
          .select(["build_id", "sequence", "key_id"])
          .where("version_id", "=", versionId)
          .where("build_id", "in", batch)
          .orderBy("sequence")
          .execute(),
      );
      return new Map(rows.map((row) => [row.build_id ?? "", { sequence: row.sequence, keyId: row.key_id }]));
    },
  };
}

export function sqlSigningKeys(db: Queries, revision: () => number): SigningKeyStore {
  return {
    async insert({ keyId, publicKey, created, expires, endorsement, isImported }) {
      await db
        .insertInto("signing_keys")
        .values({
          key_id: keyId,
          revision: revision(),
          public_key: publicKey,
          created: toTime(created),
          expires: toTime(expires),
          endorsement: endorsement?.statement ?? null,
          endorsement_signature: endorsement?.signature ?? null,
          imported: toFlag(isImported),
        })
        .execute();
    },
    async setExpires(keyId, expires) {
      await db
        .updateTable("signing_keys")
        .set({ expires: toTime(expires), revision: revision() })
        .where("key_id", "=", keyId)
        .execute();
    },
    async list() {
      const rows = await db.selectFrom("signing_keys").selectAll().orderBy("created").orderBy("key_id").execute();
      return rows.map(toSigningKey);
    },
  };
}

export function toChainEntry(row: Selectable<Schema["manifests"]>): ChainEntry {
  const { version_id: versionId, build_id: buildId, key_id: keyId, sequence, body, signature, created } = row;
  return { versionId, sequence, buildId, body, signature, keyId, created: fromTime(created) };
}

export function toSigningKey(row: Selectable<Schema["signing_keys"]>): SigningKey {
  const { endorsement: statement, endorsement_signature: signature } = row;
  return {
    keyId: row.key_id,
    publicKey: row.public_key,
    created: fromTime(row.created),
    expires: fromTime(row.expires),
    endorsement: statement === null || signature === null ? null : { statement, signature },
    isImported: row.imported === 1,
  };
}
