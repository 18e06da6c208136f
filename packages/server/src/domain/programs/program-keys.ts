/** A program gets a key when a person approves it, renews it with a refresh token, and revokes it. */
import { KEY_NAME_MAX_LENGTH } from "@dbdepot/contract/iam/keys";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { newId } from "../../platform/primitives/ids.ts";
import { actorOf } from "../access/account.ts";
import { PlainKey } from "../access/secret.ts";
import { Token } from "../access/token.ts";
import { type IssuedKey, insertKey, rotateIn } from "../keys/keys.ts";
import type { Operation, Tables } from "../store.ts";
import { approverOf } from "./approval.ts";
import { endProgramKey } from "./ending.ts";
import type { Program } from "./program.ts";
import type { Approval, ProgramKey, RequestedAccess } from "./program-key.ts";

/** Programs on the same machine share a key, and one may have read it just before another one renewed it. */
const OVERLAP_SECONDS = 60;

/** A key together with the token that renews it. Both secrets exist only in the response. */
export interface IssuedProgramKey extends IssuedKey {
  refreshToken: Token;
}

/** Why a program gets no key. `reused`: a code or token was sent twice, so the key was revoked. */
export type TokenRefusal = "invalid" | "reused";

export type Unattended = Omit<Operation, "actor">;

/** Creates the key of a program. Call it in a transaction. Undefined if the approval no longer holds. */
export async function issueProgramKey(
  tables: Tables,
  operation: Unattended,
  program: Program,
  { host, address }: Pick<RequestedAccess, "host" | "address">,
  approval: Approval,
): Promise<(IssuedProgramKey & { programKey: ProgramKey }) | undefined> {
  const approver = await approverOf(tables, approval);
  if (!approver) return undefined;
  const { now } = operation;
  const { organizationId, scopes, days } = approval;
  const keyExpires = new Date(now.getTime() + days * DAY_MS);
  const name = `${program.name} on ${host ?? address}`.slice(0, KEY_NAME_MAX_LENGTH);
  const request = { organizationId, name, scopes, cidrs: [], expires: keyExpires };
  const issued = await insertKey(tables, { ...operation, actor: actorOf(approver) }, request);
  const refreshToken = Token.generate();
  const programKey: ProgramKey = {
    id: newId(now),
    programId: program.id,
    accountId: approver.id,
    keyId: issued.key.id,
    days,
    keyExpires,
    created: now,
  };
  await tables.programs.insert(programKey, refreshToken.hash());
  return { ...issued, refreshToken, programKey };
}

/** Renews the key: a new secret, and another period until it ends. Each refresh token works once. */
export async function refreshProgramKey(
  operation: Unattended,
  program: Program,
  text: string,
): Promise<IssuedProgramKey | TokenRefusal> {
  const presented = Token.parse(text);
  // A change makes every register refresh, which a stranger must not be able to cause.
  if (!presented || !(await findByRefreshToken(operation.store, presented))) return "invalid";
  return operation.store.change(async (tables) => {
    const found = await findByRefreshToken(tables, presented);
    if (found?.programKey.programId !== program.id) return "invalid";
    const { programKey, isUsed } = found;
    if (isUsed) {
      // Either the program or a thief has the newer token. It is impossible to tell which, so both lose access.
      await endProgramKey(tables, { ...operation, actor: `program:${program.id}` }, programKey, "refresh token reused");
      return "reused";
    }
    const before = await tables.keys.byId(programKey.keyId);
    const { now } = operation;
    const isOver = !before || before.revoked || before.organizationId === null || isPast(before.expires, now);
    if (isOver || !(await isStillApproved(tables, programKey, before))) return "invalid";
    const isOwnEnd = before.expires?.getTime() === programKey.keyExpires.getTime();
    const keyExpires = new Date(now.getTime() + programKey.days * DAY_MS);
    // An end that an admin has chosen since is kept.
    const key = isOwnEnd ? { ...before, expires: keyExpires } : before;
    const rotating = { ...operation, actor: `key:${before.prefix}` };
    const issued = await rotateIn(tables, rotating, { before, key, plain: PlainKey.generate() }, OVERLAP_SECONDS);
    const refreshToken = Token.generate();
    const renewed = isOwnEnd ? { ...programKey, keyExpires } : programKey;
    await tables.programs.renew(renewed, presented.hash(), refreshToken.hash());
    return { ...issued, refreshToken };
  });
}

/** Revokes the program key that a key's secret or a refresh token belongs to. Returns whether there was one. */
export async function revokeProgramKey(operation: Unattended, program: Program, text: string): Promise<boolean> {
  const plain = PlainKey.parse(text);
  const token = Token.parse(text);
  const find = async (tables: Pick<Tables, "keys" | "programs">) => {
    if (plain) {
      const credential = await tables.keys.bySecret(plain.hash());
      return credential && tables.programs.byKey(credential.id);
    }
    return token && (await findByRefreshToken(tables, token))?.programKey;
  };
  if ((await find(operation.store))?.programId !== program.id) return false;
  return operation.store.change(async (tables) => {
    const programKey = await find(tables);
    if (!programKey) return false;
    await endProgramKey(tables, { ...operation, actor: `program:${program.id}` }, programKey, "signed out");
    return true;
  });
}

async function findByRefreshToken(tables: Pick<Tables, "programs">, token: Token) {
  const found = await tables.programs.refreshToken(token.hash());
  const programKey = found && (await tables.programs.byId(found.programKeyId));
  return programKey && { programKey, isUsed: found.isUsed };
}

/** Scopes that an admin has added to the key since do not matter: they are not the approver's. */
async function isStillApproved(
  tables: Tables,
  { accountId }: ProgramKey,
  { organizationId }: { organizationId: string | null },
): Promise<boolean> {
  return (await approverOf(tables, { accountId, organizationId: organizationId ?? "", scopes: [] })) !== undefined;
}

function isPast(time: Date | null, now: Date): boolean {
  return time !== null && time <= now;
}
