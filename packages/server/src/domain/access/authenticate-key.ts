import type { Credential, KeyAccess } from "../keys/key.ts";
import { checkKey, type KeyProblem, type KeyUse } from "./check-key.ts";
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

/** Where keys are looked up: the register, or the database inside a transaction. */
export interface KeyLookup {
  key(hash: SecretHash): Promise<Credential | undefined>;
}

/** A mistyped key fails its checksum before any lookup. */
export async function authenticate(
  keys: KeyLookup,
  presented: string | undefined,
  use: Omit<KeyUse, "secretExpires">,
): Promise<Authentication> {
  if (presented === undefined) return { problem: "missing" };
  const plain = PlainKey.parse(presented);
  if (!plain) return { problem: "malformed" };
  const key = await keys.key(plain.hash());
  if (!key) return { problem: "unknown" };
  const problem = checkKey(key, { ...use, secretExpires: key.secretExpires });
  return problem ? { problem, key } : { caller: { key, prefix: plain.prefix, secretExpires: key.secretExpires } };
}
