import type { Selectable } from "kysely";
import type { Approval, AuthorizationCode, DeviceRequest, ProgramKey } from "../../domain/programs/program-key.ts";
import type { ProgramStore } from "../../domain/programs/store.ts";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toFlag, toTime } from "./values.ts";

/** Used codes are kept this long after they expire, to notice that one is sent again. */
const CODES_KEPT_MS = DAY_MS;

/** Program keys are in the table `sign_ins`, whose name is older. Renaming it would need a migration for the name only. */
export function sqlPrograms(db: Queries): ProgramStore {
  const requests = db.selectFrom("device_requests").selectAll();
  const live = db.selectFrom("sign_ins").selectAll().where("ended", "is", null);
  return {
    async insertRequest(request, codes) {
      await db.deleteFrom("device_requests").where("expires", "<=", toTime(request.created)).execute();
      await db
        .insertInto("device_requests")
        .values({
          device_hash: codes.device,
          user_hash: codes.user,
          id: request.id,
          program_id: request.programId,
          scopes: JSON.stringify(request.scopes),
          host: request.host,
          address: request.address,
          created: toTime(request.created),
          expires: toTime(request.expires),
          last_polled: toTime(request.lastPolled),
          denied: toFlag(request.isDenied),
          account_id: request.approval?.accountId ?? null,
          approval: request.approval && JSON.stringify(request.approval),
        })
        .execute();
    },
    async requestByDeviceCode(hash) {
      const row = await requests.where("device_hash", "=", hash).executeTakeFirst();
      return row && toRequest(row);
    },
    async requestByUserCode(hash) {
      const row = await requests.where("user_hash", "=", hash).executeTakeFirst();
      return row && toRequest(row);
    },
    async setPolled(id, time) {
      await db
        .updateTable("device_requests")
        .set({ last_polled: toTime(time) })
        .where("id", "=", id)
        .execute();
    },
    async approveRequest(id, approval) {
      await db
        .updateTable("device_requests")
        .set({ account_id: approval.accountId, approval: JSON.stringify(approval) })
        .where("id", "=", id)
        .execute();
    },
    async denyRequest(id) {
      await db
        .updateTable("device_requests")
        .set({ denied: toFlag(true) })
        .where("id", "=", id)
        .execute();
    },
    async removeRequest(id) {
      await db.deleteFrom("device_requests").where("id", "=", id).execute();
    },
    async insertCode(code, hash, now) {
      const oldest = new Date(now.getTime() - CODES_KEPT_MS);
      await db.deleteFrom("authorization_codes").where("expires", "<=", toTime(oldest)).execute();
      await db
        .insertInto("authorization_codes")
        .values({
          hash,
          program_id: code.programId,
          redirect: code.redirect,
          challenge: code.challenge,
          scopes: JSON.stringify(code.scopes),
          host: code.host,
          address: code.address,
          account_id: code.approval.accountId,
          approval: JSON.stringify(code.approval),
          expires: toTime(code.expires),
          sign_in_id: code.programKeyId,
        })
        .execute();
    },
    async codeByHash(hash) {
      const row = await db.selectFrom("authorization_codes").selectAll().where("hash", "=", hash).executeTakeFirst();
      return row && toCode(row);
    },
    async useCode(hash, programKeyId) {
      await db.updateTable("authorization_codes").set({ sign_in_id: programKeyId }).where("hash", "=", hash).execute();
    },
    async insert(programKey, refreshHash) {
      await endUnusable(db, programKey.created);
      await db
        .insertInto("sign_ins")
        .values({ ...toRow(programKey), ended: null })
        .execute();
      await db
        .insertInto("refresh_tokens")
        .values({ hash: refreshHash, sign_in_id: programKey.id, used: toFlag(false) })
        .execute();
    },
    async byId(id) {
      const row = await live.where("id", "=", id).executeTakeFirst();
      return row && toProgramKey(row);
    },
    async byKey(keyId) {
      const row = await live.where("key_id", "=", keyId).executeTakeFirst();
      return row && toProgramKey(row);
    },
    async ofAccount(accountId) {
      return (await live.where("account_id", "=", accountId).orderBy("id").execute()).map(toProgramKey);
    },
    async ofOrganization(organizationId) {
      const keys = db.selectFrom("keys").select("id").where("organization_id", "=", organizationId);
      return (await live.where("key_id", "in", keys).orderBy("id").execute()).map(toProgramKey);
    },
    async refreshToken(hash) {
      const row = await db.selectFrom("refresh_tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
      return row && { programKeyId: row.sign_in_id, isUsed: row.used === 1 };
    },
    async renew(programKey, used, next) {
      const { id, ...changes } = toRow(programKey);
      await db.updateTable("sign_ins").set(changes).where("id", "=", id).execute();
      await db
        .updateTable("refresh_tokens")
        .set({ used: toFlag(true) })
        .where("hash", "=", used)
        .execute();
      await db
        .insertInto("refresh_tokens")
        .values({ hash: next, sign_in_id: id, used: toFlag(false) })
        .execute();
    },
    async end(id, time) {
      await db.deleteFrom("refresh_tokens").where("sign_in_id", "=", id).execute();
      await db
        .updateTable("sign_ins")
        .set({ ended: toTime(time) })
        .where("id", "=", id)
        .execute();
    },
    async removeApprovals(accountId) {
      await db.deleteFrom("device_requests").where("account_id", "=", accountId).execute();
      await db.deleteFrom("authorization_codes").where("account_id", "=", accountId).execute();
    },
    async removeApprovalsFor(organizationId) {
      // Few rows exist at any time, so the organization needs no column of its own.
      const approval = `%${JSON.stringify({ organizationId }).slice(1, -1)}%`;
      await db.deleteFrom("device_requests").where("approval", "like", approval).execute();
      const codes = db.deleteFrom("authorization_codes").where("approval", "like", approval);
      await codes.where("sign_in_id", "is", null).execute();
    },
  };
}

async function endUnusable(db: Queries, now: Date): Promise<void> {
  const unusable = db
    .selectFrom("sign_ins")
    .innerJoin("keys", "keys.id", "sign_ins.key_id")
    .select("sign_ins.id")
    .where("sign_ins.ended", "is", null)
    .where((where) => where.or([where("keys.revoked", "is not", null), where("keys.expires", "<=", toTime(now))]));
  await db.deleteFrom("refresh_tokens").where("sign_in_id", "in", unusable).execute();
  await db
    .updateTable("sign_ins")
    .set({ ended: toTime(now) })
    .where("id", "in", unusable)
    .execute();
}

function toRequest(row: Selectable<Schema["device_requests"]>): DeviceRequest {
  return {
    id: row.id,
    programId: row.program_id,
    scopes: JSON.parse(row.scopes),
    host: row.host,
    address: row.address,
    created: fromTime(row.created),
    expires: fromTime(row.expires),
    lastPolled: fromTime(row.last_polled),
    isDenied: row.denied === 1,
    approval: row.approval === null ? null : (JSON.parse(row.approval) as Approval),
  };
}

function toCode(row: Selectable<Schema["authorization_codes"]>): AuthorizationCode {
  return {
    programId: row.program_id,
    scopes: JSON.parse(row.scopes),
    host: row.host,
    address: row.address,
    redirect: row.redirect,
    challenge: row.challenge,
    approval: JSON.parse(row.approval) as Approval,
    expires: fromTime(row.expires),
    programKeyId: row.sign_in_id,
  };
}

function toProgramKey(row: Selectable<Schema["sign_ins"]>): ProgramKey {
  return {
    id: row.id,
    programId: row.program_id,
    accountId: row.account_id,
    keyId: row.key_id,
    days: row.days,
    keyExpires: fromTime(row.key_expires),
    created: fromTime(row.created),
  };
}

function toRow(programKey: ProgramKey): Omit<Selectable<Schema["sign_ins"]>, "ended"> {
  return {
    id: programKey.id,
    program_id: programKey.programId,
    account_id: programKey.accountId,
    key_id: programKey.keyId,
    days: programKey.days,
    key_expires: toTime(programKey.keyExpires),
    created: toTime(programKey.created),
  };
}
