import type { OrganizationSort } from "@dbdepot/contract/operator/organizations";
import type { Page, PageRequest } from "../page.ts";
import type { Organization } from "./organization.ts";

interface OrganizationFilter {
  ids?: readonly string[] | undefined;
  isArchived?: boolean | undefined;
}

/** The things that an organization has, as lists show them. */
interface Holdings {
  /** Live licences. */
  licences: number;
  /** Keys that are neither revoked nor expired. */
  keys: number;
  lastDownload: Date | null;
  /** When the first of its current and future licences ends. */
  nextEnd: Date | null;
}

export interface OrganizationStore {
  insert(organization: Organization): Promise<void>;
  byId(id: string): Promise<Organization | undefined>;
  /** Its keys are loaded again by every register, because archiving affects them. */
  update(organization: Organization): Promise<void>;
  byName(name: string): Promise<Organization | undefined>;
  byExternalId(externalId: string): Promise<Organization | undefined>;
  /** All of them, ordered by name. */
  list(): Promise<Organization[]>;
  /** Ordered by name unless the request says otherwise. `now` decides which licences and keys count. */
  page(filter: OrganizationFilter, request: PageRequest<OrganizationSort>, now: Date): Promise<Page<Organization>>;
  /** Returns a map whose keys are the organizations' ids. */
  holdings(ids: readonly string[], now: Date): Promise<Map<string, Holdings>>;
}

declare module "../store.ts" {
  interface Tables {
    organizations: OrganizationStore;
  }
  interface Rules {
    /** The regions that an organization can have. */
    linkRegions: readonly string[];
  }
}
