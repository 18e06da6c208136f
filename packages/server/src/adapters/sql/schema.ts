import type { Action } from "../../domain/audit/entry.ts";
import type { JobName } from "../../domain/jobs/types.ts";
import type { AccountTables } from "./schema/accounts.ts";
import type { CatalogueTables } from "./schema/catalogue.ts";
import type { Claimable, Json, Time } from "./schema/columns.ts";
import type { CustomerTables } from "./schema/customers.ts";
import type { DestinationTables } from "./schema/destinations.ts";
import type { DownloadTables } from "./schema/downloads.ts";
import type { EventTables } from "./schema/events.ts";

/** Every table, as the newest migration leaves it. */
export interface Schema
  extends AccountTables,
    CatalogueTables,
    CustomerTables,
    DestinationTables,
    DownloadTables,
    EventTables {
  migrations: { name: string; applied: Time };
  /** One row with the newest migration that a program must know to run on this schema. */
  compatibility: { compatible_with: string };
  /** One row with the revision of the newest change. */
  revision: { value: number };
  /** One row if this is a copy of another database that has not been activated. */
  copies: { id: number; copied: Time };
  /** Work that processes do in the background. */
  jobs: Claimable & {
    id: string;
    type: JobName;
    subject: string;
    data: Json;
    created: Time;
    attempts: number;
    due: Time;
    error: string | null;
    failed: Time | null;
  };
  audit: {
    id: string;
    actor: string;
    action: Action;
    subject: string;
    before: Json;
    after: Json;
    created: Time;
  };
}
