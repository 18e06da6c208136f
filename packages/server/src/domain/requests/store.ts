import type { AccessRequest, RequestState } from "./request.ts";

/** The position in the list of requests, which has the pending ones first. */
export type RequestPosition = Pick<AccessRequest, "id"> & { isPending: boolean };

interface RequestFilter {
  organizationId?: string | undefined;
  base?: string | undefined;
  state?: RequestState | undefined;
  /** Limits the list to requests after this one in the order of the list. */
  after?: RequestPosition | undefined;
  limit?: number | undefined;
}

export interface RequestStore {
  insert(request: AccessRequest): Promise<void>;
  byId(id: string): Promise<AccessRequest | undefined>;
  /** Pending requests first, then the newest. */
  list(filter: RequestFilter): Promise<AccessRequest[]>;
  /** The newest request of an organization for each family. */
  latest(organizationId: string): Promise<AccessRequest[]>;
  /** The requests that a grant or renewal of the licence settled at this time. */
  settled(licenceId: string, time: Date): Promise<AccessRequest[]>;
  countPending(): Promise<number>;
  /** Writes the decision. */
  update(request: AccessRequest): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    requests: RequestStore;
  }
}
