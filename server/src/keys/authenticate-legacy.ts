import type { Register } from "../register/register.ts";
import type { KeyProblem } from "./check.ts";
import { hashUuid, type LegacyKey, normalizeUuid } from "./legacy-key.ts";
import { PlainKey } from "./secret.ts";

interface LegacyRefused {
  key?: undefined;
  problem: KeyProblem;
  /** Whose attempt it was, where that could be resolved; else null in both. */
  who: { organizationId: string | null; keyId: string | null };
}

export type LegacyAuthentication = { key: LegacyKey } | LegacyRefused;

/** From the UUID that was presented to its key, or a reason. As for v2 keys, it waits only for what is not known yet. */
export function authenticateLegacy(
  register: Pick<Register, "key" | "legacyKey">,
  presented: string | undefined,
): LegacyAuthentication | Promise<LegacyAuthentication> {
  if (presented === undefined) return nobody("missing");
  const uuid = normalizeUuid(presented);
  if (uuid === undefined) return misplaced(register, presented);
  const known = register.legacyKey(hashUuid(uuid));
  return known instanceof Promise ? known.then(judge) : judge(known);
}

function judge(key: LegacyKey | undefined): LegacyAuthentication {
  if (!key) return nobody("unknown");
  if (!key.revoked) return { key };
  return { problem: "revoked", who: { organizationId: key.organizationId, keyId: key.id } };
}

/** A v2 key opens nothing here, but its owner shall find the attempt in the history. */
async function misplaced(register: Pick<Register, "key">, presented: string): Promise<LegacyRefused> {
  const plain = PlainKey.parse(presented);
  const known = plain && (await register.key(plain.hash()));
  if (!known) return nobody("malformed");
  return { problem: "v2_key", who: { organizationId: known.key.organizationId, keyId: known.key.id } };
}

function nobody(problem: KeyProblem): LegacyRefused {
  return { problem, who: { organizationId: null, keyId: null } };
}
