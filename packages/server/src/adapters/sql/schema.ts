import type { Action } from "../../domain/audit/entry.ts";
import type { AccountTables } from "./schema/accounts.ts";
import type { CatalogueTables } from "./schema/catalogue.ts";
import type { Json, Time } from "./schema/columns.ts";
import type { CustomerTables } from "./schema/customers.ts";
import type { DownloadTables } from "./schema/downloads.ts";
import type { EventTables } from "./schema/events.ts";

/** Every table, as the newest migration leaves it. */
export interface Schema extends AccountTables, CatalogueTables, CustomerTables, DownloadTables, EventTables {
  migrations: { name: string; applied: Time };
  /** One row with the revision of the newest change. */
  revision: { value: number };
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
