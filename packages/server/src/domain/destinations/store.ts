import type { DestinationSort } from "@dbdepot/contract/operator/destinations";
import type { OldRows } from "../old-rows.ts";
import type { Page, PageRequest } from "../page.ts";
import type {
  BucketDelivery,
  DeliveredBuild,
  DeliveredDatabase,
  DeliveryPermission,
  Destination,
  Progress,
} from "./destination.ts";
import type { Secrets } from "./secrets.ts";

interface DestinationFilter {
  organizationId?: string | undefined;
}

interface DestinationCounts {
  delivering: number;
  failing: number;
  paused: number;
}

export interface DestinationStore {
  insert(destination: Destination): Promise<void>;
  byId(id: string): Promise<Destination | undefined>;
  /** Newest first. */
  list(filter?: DestinationFilter): Promise<Destination[]>;
  /** Newest first unless the request says otherwise. */
  page(filter: DestinationFilter, request: PageRequest<DestinationSort>): Promise<Page<Destination>>;
  count(organizationId: string): Promise<number>;
  /** Writes everything but the progress. */
  update(destination: Destination): Promise<void>;
  /** Removes the log and what is known about the bucket too. */
  remove(id: string): Promise<void>;
  /** Forgets what is in the bucket, because another one takes its place. */
  forgetContents(id: string): Promise<void>;

  permission(organizationId: string): Promise<DeliveryPermission | undefined>;
  setPermission(permission: DeliveryPermission): Promise<void>;

  setProgress(id: string, progress: Progress): Promise<void>;
  setDatabase(database: DeliveredDatabase): Promise<void>;
  setBuild(build: DeliveredBuild): Promise<void>;
  addDelivery(delivery: BucketDelivery): Promise<void>;

  /** Verified, not paused, and of organizations that may have deliveries: all, or the one with this id. */
  deliverable(id?: string): Promise<Destination[]>;
  databases(destinationIds: readonly string[]): Promise<DeliveredDatabase[]>;
  /** The builds in a bucket, those that were named by `latest.json` last first. */
  builds(destinationId: string): Promise<DeliveredBuild[]>;
  removeBuild(destinationId: string, buildId: string): Promise<void>;
  /** The destinations that have files of a build that was withdrawn. */
  withWithdrawn(): Promise<Set<string>>;
  /** Newest first. */
  deliveries(filter: { destinationId: string; before?: string | undefined; limit: number }): Promise<BucketDelivery[]>;
  oldDeliveries: OldRows;
  counts(): Promise<DestinationCounts>;
}

/** The vendor's own identity, with which buckets and roles are accessed. */
export interface VendorIdentity {
  /** As policies name it. */
  principal: string;
  /** The storage that knows the identity besides AWS. */
  endpoint: string | null;
}

declare module "../store.ts" {
  interface Tables {
    destinations: DestinationStore;
  }
  interface Rules {
    secrets: Secrets;
    /** Undefined if the vendor has none. */
    vendorIdentity: VendorIdentity | undefined;
  }
}
