import type { Organization } from "./organization.ts";

export interface OrganizationStore {
  insert(organization: Organization): Promise<void>;
  byId(id: string): Promise<Organization | undefined>;
  byName(name: string): Promise<Organization | undefined>;
  /** In order of their names. */
  list(): Promise<Organization[]>;
}
