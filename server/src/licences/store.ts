import type { Licence } from "./licence.ts";

interface LicenceFilter {
  organizationId?: string | undefined;
  base?: string | undefined;
  after?: string | undefined;
  limit?: number;
}

export interface LicenceStore {
  insert(licence: Licence): Promise<void>;
  byId(id: string): Promise<Licence | undefined>;
  /** In order of their granting; of one organization, of one family, where given; `limit` of those behind `after`. */
  list(filter: LicenceFilter): Promise<Licence[]>;
  /** Writes the end and the contract dates. */
  update(licence: Licence): Promise<void>;
}
