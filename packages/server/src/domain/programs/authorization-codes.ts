/** The authorization code flow with PKCE: the console sends the browser back to the program, with a code. */
import { hash } from "node:crypto";
import { Token } from "../access/token.ts";
import type { Tables } from "../store.ts";
import { endProgramKey } from "./ending.ts";
import type { Program } from "./program.ts";
import { type Approval, type AuthorizationCode, CODE_SECONDS } from "./program-key.ts";
import { type IssuedProgramKey, issueProgramKey, type TokenRefusal, type Unattended } from "./program-keys.ts";

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Issues a code. Call it in a transaction. */
export async function issueCode(
  tables: Tables,
  requested: Omit<AuthorizationCode, "approval" | "expires" | "programKeyId">,
  approval: Approval,
  now: Date,
): Promise<Token> {
  const code = Token.generate();
  const expires = new Date(now.getTime() + CODE_SECONDS * 1000);
  await tables.programs.insertCode({ ...requested, approval, expires, programKeyId: null }, code.hash(), now);
  return code;
}

/** Exchanges a code for a key. A code works once, and only for the program and the redirect that it was issued for. */
export async function exchangeCode(
  operation: Unattended,
  program: Program,
  { code: text, redirect, verifier }: { code: string; redirect: string; verifier: string },
): Promise<IssuedProgramKey | TokenRefusal> {
  const presented = Token.parse(text);
  if (!presented || !VERIFIER.test(verifier)) return "invalid";
  const { store, now } = operation;
  // Checked before the transaction too, because a change makes every register refresh.
  if (!(await store.programs.codeByHash(presented.hash()))) return "invalid";
  return store.change(async (tables) => {
    const found = await tables.programs.codeByHash(presented.hash());
    if (!found || found.programId !== program.id || found.redirect !== redirect) return "invalid";
    if (hash("sha256", verifier, "base64url") !== found.challenge) return "invalid";
    if (found.programKeyId !== null) {
      const programKey = await tables.programs.byId(found.programKeyId);
      const ending = { ...operation, actor: `program:${program.id}` };
      if (programKey) await endProgramKey(tables, ending, programKey, "authorization code reused");
      return "reused";
    }
    if (found.expires <= now) return "invalid";
    const issued = await issueProgramKey(tables, operation, program, found, found.approval);
    if (!issued) return "invalid";
    await tables.programs.useCode(presented.hash(), issued.programKey.id);
    return issued;
  });
}
