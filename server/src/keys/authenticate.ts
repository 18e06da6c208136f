import type { Register } from "../register/register.ts";
import { checkKey, type KeyProblem, type KeyUse } from "./check.ts";
import type { Key } from "./key.ts";
import { hashSecret, PlainKey } from "./secret.ts";
import type { KnownKey } from "./store.ts";

/** Who is asking: a key that opened the door. */
export interface Caller {
  key: Key;
  /** The prefix of the secret that was presented: during a rotation there are two. */
  prefix: string;
}

export interface Refused {
  caller?: undefined;
  problem: KeyProblem;
  /** Named where it could be resolved: its owner sees the refusal in the history. */
  key?: Key;
}

export type Authentication = { caller: Caller } | Refused;

/**
 * From what was presented to a caller or a reason. It waits only when a key is seen for
 * the first time; a mistyped one fails before any look-up.
 */
export function authenticate(
  register: Pick<Register, "key"> & Partial<Pick<Register, "knownKey">>,
  presented: string | undefined,
  use: Omit<KeyUse, "secretExpires">,
): Authentication | Promise<Authentication> {
  if (presented === undefined) return { problem: "missing" };
  // What is in use has passed the tests of shape and checksum before.
  const inUse = register.knownKey?.(hashSecret(presented));
  if (inUse) return judge(inUse, use);
  const plain = PlainKey.parse(presented);
  if (!plain) return { problem: "malformed" };
  const known = register.key(plain.hash());
  return known instanceof Promise ? known.then((found) => judge(found, use)) : judge(known, use);
}

function judge(known: KnownKey | undefined, use: Omit<KeyUse, "secretExpires">): Authentication {
  if (!known) return { problem: "unknown" };
  const { key, secret } = known;
  const problem = checkKey(key, { ...use, secretExpires: secret.expires });
  return problem ? { problem, key } : { caller: { key, prefix: secret.prefix } };
}
