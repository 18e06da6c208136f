import type { LegacyKeySort } from "@dbdepot/contract/operator/legacy-keys";
import type { SecretHash } from "../access/secret.ts";
import type { KeyFilter } from "../keys/store.ts";
import type { Page, PageRequest } from "../page.ts";
import type { LegacyKey } from "./legacy-key.ts";

export interface LegacyKeyStore {
  insert(key: LegacyKey): Promise<void>;
  byId(id: string): Promise<LegacyKey | undefined>;
  byHash(hash: SecretHash): Promise<LegacyKey | undefined>;
  /** Newest first. */
  list(filter?: KeyFilter): Promise<LegacyKey[]>;
  /** Newest first unless the request says otherwise. */
  page(filter: KeyFilter, request: PageRequest<LegacyKeySort>): Promise<Page<LegacyKey>>;
  update(key: LegacyKey): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    legacyKeys: LegacyKeyStore;
  }
}
