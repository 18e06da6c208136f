import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { hashSecret } from "../../../src/domain/access/secret.ts";
import type { Approval, AuthorizationCode, DeviceRequest, SignIn } from "../../../src/domain/sign-ins/sign-in.ts";
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
  await store.signIns.insertRequest(request, codes);
  return { request, codes };
}

async function storedSignIn(store: Store, but: Partial<SignIn> = {}, expires = day(30)) {
  const organization = await storedOrganization(store);
  const owned = key({ organizationId: organization.id, expires });
  const signIn: SignIn = {
    id: newId(day(0)),
    programId: "dbdepot-cli",
    accountId: newId(day(0)),
    keyId: owned.id,
    days: 30,
    keyExpires: expires,
    created: day(0),
    ...but,
  };
  const hash = hashSecret(`refresh ${signIn.id}`);
  await store.change(async (tables) => {
    await tables.keys.insert(owned, secret(owned));
    await tables.signIns.insert(signIn, hash);
  });
  return { signIn, hash };
}

for (const engine of engines) {
  describe(`SignInStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("finds device requests by both codes, with their approval or denial", async () => {
      const { signIns } = opened.store;
      const { request, codes } = await storedRequest(opened.store);
      expect(await signIns.requestByDeviceCode(codes.device)).toEqual(request);
      expect(await signIns.requestByUserCode(codes.user)).toEqual(request);
      expect(await signIns.requestByUserCode(codes.device)).toBeUndefined();
      const approval = approvalOf();
      await signIns.setPolled(request.id, day(0));
      await signIns.approveRequest(request.id, approval);
      expect(await signIns.requestByDeviceCode(codes.device)).toEqual({ ...request, lastPolled: day(0), approval });
      await signIns.denyRequest(request.id);
      expect(await signIns.requestByDeviceCode(codes.device)).toMatchObject({ isDenied: true });
      await signIns.removeRequest(request.id);
      expect(await signIns.requestByDeviceCode(codes.device)).toBeUndefined();
    });

    it("removes expired requests when another one begins", async () => {
      const old = await storedRequest(opened.store);
      await storedRequest(opened.store, { created: day(2), expires: day(3) });
      expect(await opened.store.signIns.requestByDeviceCode(old.codes.device)).toBeUndefined();
    });

    it("remembers which sign-in a code was exchanged for, for a day", async () => {
      const { signIns } = opened.store;
      const code: AuthorizationCode = {
        ...asking,
        scopes: ["db.download"],
        redirect: "http://127.0.0.1:1/",
        challenge: "challenge",
        approval: approvalOf(),
        expires: day(1),
        signInId: null,
      };
      const hash = hashSecret(newId(day(0)));
      await signIns.insertCode(code, hash, day(0));
      expect(await signIns.codeByHash(hash)).toEqual(code);
      await signIns.useCode(hash, "id");
      expect(await signIns.codeByHash(hash)).toEqual({ ...code, signInId: "id" });
      await signIns.insertCode(code, hashSecret(newId(day(0))), day(3));
      expect(await signIns.codeByHash(hash)).toBeUndefined();
    });

    it("keeps used refresh tokens, and removes everything with the sign-in", async () => {
      const { store } = opened;
      const { signIn, hash } = await storedSignIn(store);
      expect(await store.signIns.byId(signIn.id)).toEqual(signIn);
      expect(await store.signIns.byKey(signIn.keyId)).toEqual(signIn);
      expect(await store.signIns.ofAccount(signIn.accountId)).toEqual([signIn]);
      expect(await store.signIns.refreshToken(hash)).toEqual({ signInId: signIn.id, isUsed: false });
      const next = hashSecret(`next ${signIn.id}`);
      const renewed = { ...signIn, keyExpires: day(60) };
      await store.change((tables) => tables.signIns.renew(renewed, hash, next));
      expect(await store.signIns.byId(signIn.id)).toEqual(renewed);
      expect(await store.signIns.refreshToken(hash)).toEqual({ signInId: signIn.id, isUsed: true });
      expect(await store.signIns.refreshToken(next)).toEqual({ signInId: signIn.id, isUsed: false });
      await store.change((tables) => tables.signIns.remove(signIn.id));
      expect(await store.signIns.refreshToken(next)).toBeUndefined();
      expect(await store.signIns.byId(signIn.id)).toBeUndefined();
    });

    it("removes sign-ins whose key has expired when another one begins", async () => {
      const { store } = opened;
      const { signIn } = await storedSignIn(store, {}, day(30));
      await storedSignIn(store, { created: day(31) }, day(60));
      expect(await store.signIns.byId(signIn.id)).toBeUndefined();
    });

    it("removes what an account has approved and no program has picked up", async () => {
      const { store } = opened;
      const approval = approvalOf();
      const { request, codes } = await storedRequest(store, { expires: day(100) });
      const other = await storedRequest(store, { expires: day(100) });
      await store.signIns.approveRequest(request.id, approval);
      await store.change((tables) => tables.signIns.removeApprovals(approval.accountId));
      expect(await store.signIns.requestByDeviceCode(codes.device)).toBeUndefined();
      expect(await store.signIns.requestByDeviceCode(other.codes.device)).toBeDefined();
    });
  });
}
