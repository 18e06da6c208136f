import type { LicenceKind, LicenceSort, LicenceState } from "@dbdepot/contract/operator/licences";
import type { Page, PageRequest } from "../page.ts";
import type { Licence } from "./licence.ts";

export interface LicenceFilter {
  organizationId?: string | undefined;
  base?: string | undefined;
  redistribution?: LicenceKind | undefined;
  state?: { is: LicenceState; at: Date } | undefined;
  /** Only licences that match `endsBefore`. */
  ending?: { before: Date; now: Date } | undefined;
}

export interface LicenceStore {
  insert(licence: Licence): Promise<void>;
  byId(id: string): Promise<Licence | undefined>;
  /** In the order they were granted. */
  list(filter: LicenceFilter): Promise<Licence[]>;
  /** In the order they were granted unless the request says otherwise. */
  page(filter: LicenceFilter, request: PageRequest<LicenceSort>): Promise<Page<Licence>>;
  count(filter: LicenceFilter): Promise<number>;
  /** Writes the end, the contract dates and the required terms. */
  update(licence: Licence): Promise<void>;
}
