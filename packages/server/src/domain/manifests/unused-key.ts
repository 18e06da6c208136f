import { conflict } from "../../platform/primitives/faults.ts";
import type { Tables } from "../store.ts";
import { PrivateKey } from "./signing-key.ts";
import type { PrivateKeys } from "./store.ts";

/** A key in the directory that has never been used, such as one made with openssl. Otherwise a new one, which is stored first. */
export async function unusedKey(
  { signingKeys, freshnessKeys }: Pick<Tables, "signingKeys" | "freshnessKeys">,
  privateKeys: PrivateKeys,
): Promise<PrivateKey> {
  // A key has one role, even if both directories are the same.
  const known = [...(await signingKeys.list()), ...(await freshnessKeys.list())];
  const unused = (await privateKeys.list()).filter(({ keyId }) => !known.some((key) => key.keyId === keyId));
  if (unused.length > 1) {
    throw conflict(
      `there are several unused keys: remove all but one of ${unused.map(({ keyId }) => keyId).join(", ")}`,
    );
  }
  if (unused[0]) return unused[0];
  const created = PrivateKey.generate();
  await privateKeys.write(created);
  return created;
}
