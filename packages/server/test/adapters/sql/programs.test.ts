import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { hashSecret } from "../../../src/domain/access/secret.ts";
import type {
  Approval,
  AuthorizationCode,
  DeviceRequest,
  ProgramKey,
} from "../../../src/domain/programs/program-key.ts";
import type { Store } from "../../../src/domain/store.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { key, secret, storedOrganization } from "./samples.ts";

const asking = { programId: "dbdepot-cli", host: "build-7", address: "192.0.2.1" };

function approvalOf(accountId = newId(day(0))): Approval {
  return { accountId, organizationId: newId(day(0)), scopes: ["db.download"], days: 30 };
}

function requestOf(but: Partial<DeviceRequest> = {}): DeviceRequest {
  const id = newId(day(0));
  const times = { created: day(0), expires: day(1), lastPolled: null };
  return { ...asking, id, scopes: ["db.download", "org.read"], ...times, isDenied: false, approval: null, ...but };
}

async function storedRequest(store: Store, but: Partial<DeviceRequest> = {}) {
  const request = requestOf(but);
  const codes = { device: hashSecret(`device ${request.id}`), user: hashSecret(`user ${request.id}`) };
  await store.programs.insertRequest(request, codes);
  return { request, codes };
}

async function storedProgramKey(store: Store, but: Partial<ProgramKey> = {}, expires = day(30)) {
  const organization = await storedOrganization(store);
  const owned = key({ organizationId: organization.id, expires });
  const programKey: ProgramKey = {
    id: newId(day(0)),
    programId: "dbdepot-cli",
    accountId: newId(day(0)),
    keyId: owned.id,
    days: 30,
    keyExpires: expires,
    created: day(0),
    ...but,
  };
  const hash = hashSecret(`refresh ${programKey.id}`);
  await store.change(async (tables) => {
    await tables.keys.insert(owned, secret(owned));
    await tables.programs.insert(programKey, hash);
  });
  return { programKey, hash };
}

for (const engine of engines) {
  describe(`ProgramStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("finds device requests by both codes, with their approval or denial", async () => {
      const { programs } = opened.store;
      const { request, codes } = await storedRequest(opened.store);
      expect(await programs.requestByDeviceCode(codes.device)).toEqual(request);
      expect(await programs.requestByUserCode(codes.user)).toEqual(request);
      expect(await programs.requestByUserCode(codes.device)).toBeUndefined();
      const approval = approvalOf();
      await programs.setPolled(request.id, day(0));
      await programs.approveRequest(request.id, approval);
      expect(await programs.requestByDeviceCode(codes.device)).toEqual({ ...request, lastPolled: day(0), approval });
      await programs.denyRequest(request.id);
      expect(await programs.requestByDeviceCode(codes.device)).toMatchObject({ isDenied: true });
      await programs.removeRequest(request.id);
      expect(await programs.requestByDeviceCode(codes.device)).toBeUndefined();
    });

    it("removes expired requests when another one begins", async () => {
      const old = await storedRequest(opened.store);
      await storedRequest(opened.store, { created: day(2), expires: day(3) });
      expect(await opened.store.programs.requestByDeviceCode(old.codes.device)).toBeUndefined();
    });

    it("remembers which program key a code was exchanged for, for a day", async () => {
      const { programs } = opened.store;
      const code: AuthorizationCode = {
        ...asking,
        scopes: ["db.download"],
        redirect: "http://127.0.0.1:1/",
        challenge: "challenge",
        approval: approvalOf(),
        expires: day(1),
        programKeyId: null,
      };
      const hash = hashSecret(newId(day(0)));
      await programs.insertCode(code, hash, day(0));
      expect(await programs.codeByHash(hash)).toEqual(code);
      await programs.useCode(hash, "id");
      expect(await programs.codeByHash(hash)).toEqual({ ...code, programKeyId: "id" });
      await programs.insertCode(code, hashSecret(newId(day(0))), day(3));
      expect(await programs.codeByHash(hash)).toBeUndefined();
    });

    it("keeps used refresh tokens until the program key ends, and then only who approved it", async () => {
      const { store } = opened;
      const { programKey, hash } = await storedProgramKey(store);
      expect(await store.programs.byId(programKey.id)).toEqual(programKey);
      expect(await store.programs.byKey(programKey.keyId)).toEqual(programKey);
      expect(await store.programs.ofAccount(programKey.accountId)).toEqual([programKey]);
      expect(await store.programs.refreshToken(hash)).toEqual({ programKeyId: programKey.id, isUsed: false });
      const next = hashSecret(`next ${programKey.id}`);
      const renewed = { ...programKey, keyExpires: day(60) };
      await store.change((tables) => tables.programs.renew(renewed, hash, next));
      expect(await store.programs.byId(programKey.id)).toEqual(renewed);
      expect(await store.programs.refreshToken(hash)).toEqual({ programKeyId: programKey.id, isUsed: true });
      expect(await store.programs.refreshToken(next)).toEqual({ programKeyId: programKey.id, isUsed: false });
      await store.change((tables) => tables.programs.end(programKey.id, day(1)));
      expect(await store.programs.refreshToken(next)).toBeUndefined();
      expect(await store.programs.byId(programKey.id)).toBeUndefined();
      expect(await store.programs.byKey(programKey.keyId)).toBeUndefined();
      expect(await store.programs.ofAccount(programKey.accountId)).toEqual([]);
      const rows = await opened.query(`select account_id, ended from sign_ins where id = '${programKey.id}'`);
      expect(rows).toEqual([{ account_id: programKey.accountId, ended: day(1).toISOString() }]);
    });

    it("ends program keys that have expired when another one is issued", async () => {
      const { store } = opened;
      const { programKey } = await storedProgramKey(store, {}, day(30));
      await storedProgramKey(store, { created: day(31) }, day(60));
      expect(await store.programs.byId(programKey.id)).toBeUndefined();
    });

    it("removes what an account has approved and no program has picked up", async () => {
      const { store } = opened;
      const approval = approvalOf();
      const { request, codes } = await storedRequest(store, { expires: day(100) });
      const other = await storedRequest(store, { expires: day(100) });
      await store.programs.approveRequest(request.id, approval);
      await store.change((tables) => tables.programs.removeApprovals(approval.accountId));
      expect(await store.programs.requestByDeviceCode(codes.device)).toBeUndefined();
      expect(await store.programs.requestByDeviceCode(other.codes.device)).toBeDefined();
    });
  });
}
