import type { Licence } from "./licence.ts";

export interface LicenceStore {
  insert(licence: Licence): Promise<void>;
  byId(id: string): Promise<Licence | undefined>;
  /** In order of their granting; of one organization, of one family, where given; `limit` of those behind `after`. */
  list(filter: { organizationId?: string; base?: string; after?: string; limit?: number }): Promise<Licence[]>;
  /** Writes the end and the contract dates. */
  update(licence: Licence): Promise<void>;
}
