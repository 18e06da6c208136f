import { notFound } from "../../platform/primitives/faults.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { AccountWithOrganization } from "../access/account.ts";
import { NotManager } from "../access/manager.ts";
import type { SecretHash } from "../access/secret.ts";
import { findSession } from "../access/session.ts";
import type { Token } from "../access/token.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import { newApproval } from "./approval.ts";
import { issueCode } from "./authorization-codes.ts";
import { findWaiting } from "./device-requests.ts";
import type { Approval, AuthorizationCode, RequestedAccess } from "./program-key.ts";

/** The choices of the person on the page. */
export interface Choice {
  /** Required of operators, who belong to no organization. */
  organization?: string | undefined;
  days: number;
}

export async function approveDevice(
  operation: Operation,
  sessionHash: SecretHash,
  userCode: string,
  choice: Choice,
): Promise<void> {
  await operation.store.change(async (tables) => {
    const account = await requireSignedIn(tables, sessionHash, operation.now);
    const request = await requireWaiting(tables, userCode, operation.now);
    const approval = await newApproval(tables, account, request.scopes, choice);
    await tables.programs.approveRequest(request.id, approval);
    await recordApproval(tables, operation, request.id, request, approval);
  });
}

export async function denyDevice(operation: Operation, sessionHash: SecretHash, userCode: string): Promise<void> {
  await operation.store.change(async (tables) => {
    await requireSignedIn(tables, sessionHash, operation.now);
    const request = await requireWaiting(tables, userCode, operation.now);
    await tables.programs.denyRequest(request.id);
    const { id: subject, programId, address, host } = request;
    await record(tables, operation, { action: "sign_in.denied", subject, after: { programId, address, host } });
  });
}

/** Returns the code to send to the program. */
export async function approveAuthorization(
  operation: Operation,
  sessionHash: SecretHash,
  requested: Omit<AuthorizationCode, "approval" | "expires" | "programKeyId">,
  choice: Choice,
): Promise<Token> {
  return operation.store.change(async (tables) => {
    const account = await requireSignedIn(tables, sessionHash, operation.now);
    const approval = await newApproval(tables, account, requested.scopes, choice);
    const code = await issueCode(tables, requested, approval, operation.now);
    await recordApproval(tables, operation, newId(operation.now), requested, approval);
    return code;
  });
}

async function recordApproval(
  tables: Tables,
  operation: Operation,
  subject: string,
  { programId, address, host }: RequestedAccess,
  { organizationId, scopes, days }: Approval,
): Promise<void> {
  const after = { programId, organizationId, scopes, days, address, host };
  await record(tables, operation, { action: "sign_in.approved", subject, after });
}

/** Looks the session up inside the transaction: a person who was disabled a moment ago must not approve anything. */
async function requireSignedIn(tables: Tables, hash: SecretHash, now: Date): Promise<AccountWithOrganization> {
  const caller = await findSession(tables.sessions, hash, now);
  if (!caller) throw new NotManager("session_ended");
  return caller.account;
}

async function requireWaiting(tables: Tables, userCode: string, now: Date) {
  const request = await findWaiting(tables, userCode, now);
  if (!request) throw notFound("this code is wrong, has expired or was already used: start again in your program");
  return request;
}
