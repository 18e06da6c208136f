import { allows, isOperatorScope, type Scope } from "@dbdepot/contract/shared/scopes";
import { accountIdOf } from "./account-id.ts";
import { allowsAddress } from "./cidrs.ts";
import type { Credential, KeyAccess } from "./credential.ts";
import { PlainKey, type SecretHash } from "./secret.ts";

/** A caller whose key was accepted. */
export interface KeyCaller {
  key: KeyAccess;
  /** The prefix of the secret that was presented. During a rotation a key has two. */
  prefix: string;
  /** When that secret stops working, if it has been rotated out. */
  secretExpires: Date | null;
}

interface Refused {
  caller?: undefined;
  problem: KeyProblem;
  /** The key, if it is known: its owner sees the refusal in the history. */
  key?: KeyAccess;
}

export type Authentication = { caller: KeyCaller } | Refused;

/** Finds keys: in the register, or in the database inside a transaction. */
export interface KeyLookup {
  /** A promise only if the key is not in memory. */
  key(hash: SecretHash): Credential | Promise<Credential | undefined>;
}

/** A mistyped key fails its checksum before any lookup. The result is a promise only if the lookup is one. */
export function authenticate(
  keys: KeyLookup,
  presented: string | undefined,
  use: Omit<KeyUse, "secretExpires">,
): Authentication | Promise<Authentication> {
  if (presented === undefined) return { problem: "missing" };
  const plain = PlainKey.parse(presented);
  if (!plain) return { problem: "malformed" };
  const found = keys.key(plain.hash());
  return found instanceof Promise ? found.then((key) => checked(plain, key, use)) : checked(plain, found, use);
}

function checked(
  { prefix }: PlainKey,
  key: Credential | undefined,
  use: Omit<KeyUse, "secretExpires">,
): Authentication {
  if (!key) return { problem: "unknown" };
  const { secretExpires } = key;
  const problem = checkKey(key, { ...use, secretExpires });
  return problem ? { problem, key } : { caller: { key, prefix, secretExpires } };
}

/**
 * The reason for refusing a key. Callers see only part of it; the log, the operator's history and `why` show all of it.
 */
export type KeyProblem =
  | "missing"
  | "malformed"
  | "unknown"
  | "revoked"
  | "expired"
  | "rotated_out"
  | "outside_cidrs"
  | "no_organization"
  | "wrong_account"
  | "lacks_scope"
  | "v2_key";

/** Describes each problem for `why`, which explains downloads. */
export const KEY_PROBLEMS: Record<KeyProblem, string> = {
  missing: "no key was sent",
  malformed: "the key is malformed or mistyped: its checksum is wrong",
  unknown: "no such key",
  revoked: "the key was revoked",
  expired: "the key has expired",
  rotated_out: "the key was rotated, and this old secret's overlap is over",
  outside_cidrs: "the request came from outside the key's CIDRs",
  no_organization: "the key belongs to no organization",
  wrong_account: "the account id does not belong to the key's organization",
  lacks_scope: "the key lacks the scope db.download",
  v2_key: "v1 does not accept v2 keys",
};

/** The scope that a key must have. "any key" accepts every valid one. */
export type RequiredScope = Scope | "any key";

export interface KeyUse {
  /** When the secret that was presented stops working, if it has been rotated out. */
  secretExpires: Date | null;
  /** The client's address. If undefined, it is not checked. */
  address: string | undefined;
  scope: RequiredScope;
  /** The account id that was sent with the key, if any. */
  account?: string | undefined;
  now: Date;
}

/** Checks everything that can refuse a known key, in the documented order. */
export function checkKey(key: KeyAccess, use: KeyUse): KeyProblem | undefined {
  if (key.revoked) return "revoked";
  if (key.expires && key.expires <= use.now) return "expired";
  if (use.secretExpires && use.secretExpires <= use.now) return "rotated_out";
  if (use.address !== undefined && !allowsAddress(key.cidrs, use.address)) return "outside_cidrs";
  if (use.scope === "any key") return undefined;
  if (key.organizationId === null && !isOperatorScope(use.scope)) return "no_organization";
  if (use.account !== undefined && use.account !== accountOf(key)) return "wrong_account";
  // An organization's key cannot get an operator scope. If it ever had one, it would still be refused.
  if (key.organizationId !== null && isOperatorScope(use.scope)) return "lacks_scope";
  return allows(key.scopes, use.scope) ? undefined : "lacks_scope";
}

function accountOf({ organizationId }: KeyAccess): string | undefined {
  return organizationId === null ? undefined : String(accountIdOf(organizationId));
}
