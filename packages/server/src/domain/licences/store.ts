import type { LicenceKind, LicenceSort, LicenceState } from "@dbdepot/contract/operator/licences";
import type { Page, PageRequest } from "../page.ts";
import type { Licence } from "./licence.ts";

export interface LicenceFilter {
  organizationId?: string | undefined;
  base?: string | undefined;
  redistribution?: LicenceKind | undefined;
  state?: { is: LicenceState; at: Date } | undefined;
  /** Limits the list to licences that match `endsBefore`. */
  ending?: { before: Date; now: Date } | undefined;
}

export interface LicenceStore {
  insert(licence: Licence): Promise<void>;
  byId(id: string): Promise<Licence | undefined>;
  /** Lists them in the order they were granted. */
  list(filter: LicenceFilter): Promise<Licence[]>;
  /** Lists them in the order they were granted unless the request says otherwise. */
  page(filter: LicenceFilter, request: PageRequest<LicenceSort>): Promise<Page<Licence>>;
  count(filter: LicenceFilter): Promise<number>;
  /** Writes everything but the organization and the family, which never change. */
  update(licence: Licence): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    licences: LicenceStore;
  }
  interface Rules {
    /** Days after which an evaluation ends by default; 0: never. */
    evaluationDays: number;
  }
}
