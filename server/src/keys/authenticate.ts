import type { Register } from "../register/register.ts";
import { checkKey, type KeyProblem, type KeyUse } from "./check.ts";
import type { DoorKey } from "./key.ts";
import { hashSecret, PlainKey, prefixOf } from "./secret.ts";
import type { KeyPlace, KnownKey } from "./store.ts";

/** Who is asking: a key that opened the door. */
export interface Caller {
  key: DoorKey;
  /** The prefix of the secret that was presented: during a rotation there are two. */
  prefix: string;
  /** The key's place in the register, if it has one. */
  place: KeyPlace | undefined;
}

interface Refused {
  caller?: undefined;
  problem: KeyProblem;
  /** Named where it could be resolved: its owner sees the refusal in the history. */
  key?: DoorKey;
}

export type Authentication = { caller: Caller } | Refused;

/**
 * From what was presented to a caller or a reason. It waits only for a key that the register
 * does not know; a mistyped one fails before any look-up.
 */
export function authenticate(
  register: Pick<Register, "key"> & Partial<Pick<Register, "knownKey">>,
  presented: string | undefined,
  use: Omit<KeyUse, "secretExpires">,
): Authentication | Promise<Authentication> {
  if (presented === undefined) return { problem: "missing" };
  const hash = hashSecret(presented);
  // What is known has passed the tests of shape and checksum when it was made.
  const inMemory = register.knownKey?.(hash);
  if (inMemory) return judge(inMemory, presented, use);
  if (!PlainKey.parse(presented)) return { problem: "malformed" };
  const known = register.key(hash);
  return known instanceof Promise ? known.then((found) => judge(found, presented, use)) : judge(known, presented, use);
}

function judge(known: KnownKey | undefined, presented: string, use: Omit<KeyUse, "secretExpires">): Authentication {
  if (!known) return { problem: "unknown" };
  const { key, secret, place } = known;
  const problem = checkKey(key, { ...use, secretExpires: secret.expires });
  return problem ? { problem, key } : { caller: { key, prefix: prefixOf(presented), place } };
}
