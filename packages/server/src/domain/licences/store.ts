import type { Redistribution } from "@dbdepot/contract/v2/catalogue";
import type { Licence } from "./licence.ts";

interface LicenceFilter {
  organizationId?: string | undefined;
  base?: string | undefined;
  redistribution?: Redistribution | undefined;
  /** Only licences that match `endsBefore`. */
  ending?: { before: Date; now: Date } | undefined;
  after?: string | undefined;
  limit?: number;
}

export interface LicenceStore {
  insert(licence: Licence): Promise<void>;
  byId(id: string): Promise<Licence | undefined>;
  /** Returns at most `limit` licences in the order they were granted, after the one with the id `after`. */
  list(filter: LicenceFilter): Promise<Licence[]>;
  /** Writes the end and the contract dates. */
  update(licence: Licence): Promise<void>;
}
