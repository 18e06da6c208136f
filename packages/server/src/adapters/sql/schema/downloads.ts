import type { Outcome } from "@dbdepot/contract/v2/downloads";
import type { Api } from "../../../domain/downloads/attempt.ts";
import type { Claimable, Flag, Time } from "./columns.ts";

/** The downloads of an organization in a day or month. The database is empty for requests that named none it can see. */
interface UsageTotals {
  organization_id: string;
  dataset_id: string;
  format: string;
  first_downloads: number;
  repeats: number;
  refused: number;
  bytes: number;
  saved_bytes: number;
  /** Per month, this and the next one are the largest number on one day. */
  keys: number;
  addresses: number;
}

/** The history and its totals. */
export interface DownloadTables {
  attempts: {
    id: string;
    api: Api;
    organization_id: string | null;
    key_id: string | null;
    dataset_id: string;
    format: string;
    outcome: Outcome;
    cause: string | null;
    bytes: number | null;
    http_status: number;
    build_id: string | null;
    client_ip: string | null;
    user_agent: string | null;
    created: Time;
    open: Flag;
    sample: Flag;
    patch: Flag;
    /** Null for links, refusals, and attempts of servers before 0022. */
    sent_bytes: number | null;
    /** Whether a partial response counts as a download, not only as a part of one. */
    from_start: Flag;
  };
  /** Downloads that were granted and may not be in the history yet. */
  limit_reservations: {
    /** The id of the attempt, unless it is for several downloads. */
    id: string;
    organization_id: string;
    downloads: number;
    bytes: number;
    /** Whether a process may grant further downloads from it. */
    ahead: Flag;
    expires: Time;
  };
  usage_days: UsageTotals & { day: string };
  usage_months: UsageTotals & { month: string };
  /** The day on which an organization first downloaded a build. */
  usage_builds: {
    organization_id: string;
    dataset_id: string;
    format: string;
    build_id: string;
    first_day: string;
  };
  /** This table has at most one row. */
  usage_progress: Claimable & {
    id: 1;
    /** The first day whose totals may still change. */
    final_until: string;
    /** When the last update began that was completed. */
    updated: Time | null;
    /** When the next update may begin. */
    due: Time;
  };
}
