import type { Organization } from "./organization.ts";

export interface OrganizationStore {
  insert(organization: Organization): Promise<void>;
  byId(id: string): Promise<Organization | undefined>;
  /** Its keys are loaded again by every register, because archiving affects them. */
  update(organization: Organization): Promise<void>;
  byName(name: string): Promise<Organization | undefined>;
  /** Ordered by name: all, or one page that starts after the name `after`. */
  list(page?: { after?: string | undefined; limit: number }): Promise<Organization[]>;
}
