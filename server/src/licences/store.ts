import type { Licence } from "./licence.ts";

export interface LicenceStore {
  insert(licence: Licence): Promise<void>;
  byId(id: string): Promise<Licence | undefined>;
  /** In order of their granting; of one organization, of one family, where given. */
  list(filter: { organizationId?: string; base?: string }): Promise<Licence[]>;
  setExpires(id: string, expires: Date | null): Promise<void>;
}
