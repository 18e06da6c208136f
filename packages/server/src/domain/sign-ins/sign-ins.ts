/** A sign-in is a key: a program gets one when a person approves it, renews it with a refresh token, and revokes it. */
import { KEY_NAME_MAX_LENGTH } from "@dbdepot/contract/iam/keys";
import { newId } from "../../platform/primitives/ids.ts";
import { actorOf } from "../access/account.ts";
import { PlainKey } from "../access/secret.ts";
import { Token } from "../access/token.ts";
import { record } from "../audit/audit.ts";
import { type IssuedKey, insertKey, markRevoked, rotateIn } from "../keys/keys.ts";
import type { Operation, Tables } from "../store.ts";
import { approverOf } from "./approval.ts";
import type { Program } from "./program.ts";
import type { Approval, Asking, SignIn } from "./sign-in.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Programs on the same machine share a key, and one may have read it just before another one renewed it. */
const OVERLAP_SECONDS = 60;

/** A key together with the token that renews it. Both secrets exist only in the response. */
export interface IssuedSignIn extends IssuedKey {
  refreshToken: Token;
}

/** Why a program gets no key. `reused`: a code or token was sent twice, so that its sign-in was ended. */
export type Refusal = "invalid" | "reused";

export type Unattended = Omit<Operation, "actor">;

/** Creates the key of a sign-in. Call it in a transaction. Undefined if the approval no longer holds. */
export async function issueSignIn(
  tables: Tables,
  operation: Unattended,
  program: Program,
  { host, address }: Pick<Asking, "host" | "address">,
  approval: Approval,
): Promise<(IssuedSignIn & { signIn: SignIn }) | undefined> {
  const approver = await approverOf(tables, approval);
  if (!approver) return undefined;
  const { now } = operation;
  const { organizationId, scopes, days } = approval;
  const keyExpires = new Date(now.getTime() + days * DAY_MS);
  const name = `${program.name} on ${host ?? address}`.slice(0, KEY_NAME_MAX_LENGTH);
  const request = { organizationId, name, scopes, cidrs: [], expires: keyExpires };
  const issued = await insertKey(tables, { ...operation, actor: actorOf(approver) }, request);
  const refreshToken = Token.generate();
  const signIn: SignIn = {
    id: newId(now),
    programId: program.id,
    accountId: approver.id,
    keyId: issued.key.id,
    days,
    keyExpires,
    created: now,
  };
  await tables.signIns.insert(signIn, refreshToken.hash());
  return { ...issued, refreshToken, signIn };
}

/** Renews the key: a new secret, and another period until it ends. Each refresh token works once. */
export async function refreshSignIn(
  operation: Unattended,
  program: Program,
  text: string,
): Promise<IssuedSignIn | Refusal> {
  const presented = Token.parse(text);
  // A change makes every register refresh, which a stranger must not be able to cause.
  if (!presented || !(await findByRefreshToken(operation.store, presented))) return "invalid";
  return operation.store.change(async (tables) => {
    const found = await findByRefreshToken(tables, presented);
    if (found?.signIn.programId !== program.id) return "invalid";
    const { signIn, isUsed } = found;
    if (isUsed) {
      // Either the program or a thief has the newer token. It is impossible to tell which, so both lose access.
      await endSignIn(tables, { ...operation, actor: `program:${program.id}` }, signIn, "refresh token reused");
      return "reused";
    }
    const before = await tables.keys.byId(signIn.keyId);
    const { now } = operation;
    const isOver = !before || before.revoked || before.organizationId === null || isPast(before.expires, now);
    if (isOver || !(await isStillApproved(tables, signIn, before))) return "invalid";
    const isOwnEnd = before.expires?.getTime() === signIn.keyExpires.getTime();
    const keyExpires = new Date(now.getTime() + signIn.days * DAY_MS);
    // An end that an admin has chosen since is kept.
    const key = isOwnEnd ? { ...before, expires: keyExpires } : before;
    const rotating = { ...operation, actor: `key:${before.prefix}` };
    const issued = await rotateIn(tables, rotating, { before, key, plain: PlainKey.generate() }, OVERLAP_SECONDS);
    const refreshToken = Token.generate();
    const renewed = isOwnEnd ? { ...signIn, keyExpires } : signIn;
    await tables.signIns.renew(renewed, presented.hash(), refreshToken.hash());
    return { ...issued, refreshToken };
  });
}

/** Ends the sign-in that a key or a refresh token belongs to. Returns whether there was one. */
export async function revokeSignIn(operation: Unattended, program: Program, text: string): Promise<boolean> {
  const plain = PlainKey.parse(text);
  const token = Token.parse(text);
  const find = async (tables: Pick<Tables, "keys" | "signIns">) => {
    if (plain) {
      const credential = await tables.keys.bySecret(plain.hash());
      return credential && tables.signIns.byKey(credential.id);
    }
    return token && (await findByRefreshToken(tables, token))?.signIn;
  };
  if ((await find(operation.store))?.programId !== program.id) return false;
  return operation.store.change(async (tables) => {
    const signIn = await find(tables);
    if (!signIn) return false;
    await endSignIn(tables, { ...operation, actor: `program:${program.id}` }, signIn, "signed out");
    return true;
  });
}

/** Ends everything that a person has approved, because the account loses access. Call it in a transaction. */
export async function endSignInsOf(tables: Tables, operation: Operation, accountId: string): Promise<void> {
  await tables.signIns.removeApprovals(accountId);
  for (const signIn of await tables.signIns.ofAccount(accountId)) {
    await endSignIn(tables, operation, signIn, "account lost access");
  }
}

/** Revokes the key. Call it in a transaction. */
export async function endSignIn(tables: Tables, operation: Operation, signIn: SignIn, reason: string): Promise<void> {
  const { id, programId, keyId } = signIn;
  await tables.signIns.remove(id);
  const key = await tables.keys.byId(keyId);
  if (!key || key.revoked) return;
  await record(tables, operation, { action: "sign_in.ended", subject: id, after: { programId, keyId, reason } });
  await markRevoked(tables, operation, key);
}

async function findByRefreshToken(tables: Pick<Tables, "signIns">, token: Token) {
  const found = await tables.signIns.refreshToken(token.hash());
  const signIn = found && (await tables.signIns.byId(found.signInId));
  return signIn && { signIn, isUsed: found.isUsed };
}

/** Scopes that an admin has added to the key since do not matter: they are not the approver's. */
async function isStillApproved(
  tables: Tables,
  { accountId }: SignIn,
  { organizationId }: { organizationId: string | null },
): Promise<boolean> {
  return (await approverOf(tables, { accountId, organizationId: organizationId ?? "", scopes: [] })) !== undefined;
}

function isPast(time: Date | null, now: Date): boolean {
  return time !== null && time <= now;
}
