import type { SecretHash } from "../access/secret.ts";
import type { KeyFilter } from "../keys/store.ts";
import type { LegacyKey } from "./legacy-key.ts";

export interface LegacyKeyStore {
  insert(key: LegacyKey): Promise<void>;
  byId(id: string): Promise<LegacyKey | undefined>;
  byHash(hash: SecretHash): Promise<LegacyKey | undefined>;
  /** Newest first. */
  list(filter?: KeyFilter): Promise<LegacyKey[]>;
  update(key: LegacyKey): Promise<void>;
}
