import { isOperatorScope, type Scope } from "@dbdepot/contract/scopes";
import { allowsAddress } from "./cidrs.ts";
import type { KeyAccess } from "./key.ts";

/** Why a key does not open the door. The caller is told little of it; the log, the history and `why` all. */
export type KeyProblem =
  | "missing"
  | "malformed"
  | "unknown"
  | "revoked"
  | "expired"
  | "rotated_out"
  | "outside_cidrs"
  | "no_organization"
  | "lacks_scope"
  | "v2_key";

export const KEY_PROBLEMS: Record<KeyProblem, string> = {
  missing: "no key was sent",
  malformed: "not the shape of a key, or mistyped: its checksum is wrong",
  unknown: "no such key",
  revoked: "the key was revoked",
  expired: "the key's own end has passed",
  rotated_out: "the key was rotated, and this old secret's overlap is over",
  outside_cidrs: "the request came from outside the key's CIDRs",
  no_organization: "the key belongs to no organization",
  lacks_scope: "the key lacks the scope",
  v2_key: "a v2 key, which v1 does not take",
};

export interface KeyUse {
  /** The end of the secret that was presented, if it has been rotated out. */
  secretExpires: Date | null;
  /** Where the request came from; undefined when that is not the question. */
  address: string | undefined;
  scope: Scope;
  now: Date;
}

/** Everything about a known key that can refuse it, in the order of the decided checks. */
export function checkKey(key: KeyAccess, use: KeyUse): KeyProblem | undefined {
  if (key.revoked) return "revoked";
  if (key.expires && key.expires <= use.now) return "expired";
  if (use.secretExpires && use.secretExpires <= use.now) return "rotated_out";
  if (use.address !== undefined && !allowsAddress(key.cidrs, use.address)) return "outside_cidrs";
  if (key.organizationId === null && !isOperatorScope(use.scope)) return "no_organization";
  // No rule lets an organization's key have one of these. Should it have one all the same, it opens nothing.
  if (key.organizationId !== null && isOperatorScope(use.scope)) return "lacks_scope";
  return key.scopes.includes(use.scope) ? undefined : "lacks_scope";
}
