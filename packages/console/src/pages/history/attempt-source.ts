import type { ConsoleDownload, ConsoleDownloadsQuery, Usage, UsageQuery } from "@dbdepot/contract/console/history";
import type { HistoryQuery, OperatorAttempt } from "@dbdepot/contract/operator/history";
import { type Filter, get, type ItemPage, list, query } from "../../app/api.ts";
import type { Attempt } from "./attempt-columns.tsx";
import type { HistoryFilter } from "./filter.ts";

interface Selection {
  /** The start of the first day, or a later time. */
  from: string | undefined;
  to: string | undefined;
  limit?: number;
  format?: "csv";
}

/** The source of the attempts that a person may see. */
export interface AttemptSource {
  description: string;
  load: (url: string) => Promise<ItemPage<Attempt>>;
  url: (filter: HistoryFilter, selection: Selection) => string;
}

const downloads = list<ConsoleDownload, ConsoleDownloadsQuery>("/api/console/downloads", "downloads");
const attempts = list<OperatorAttempt, HistoryQuery>("/api/operator/history", "attempts");

/** The attempts of the person's own organization. */
export const ownAttempts: AttemptSource = {
  description: "Every download attempt of your organization's keys and people, refused ones included.",
  load: downloads.load,
  url: ({ outcome, database, key, request }, selection) =>
    downloads.url({ outcome, database, key, request, ...selection }),
};

/** The attempts of all organizations, for operators. */
export const allAttempts: AttemptSource = {
  description: "Every download attempt of all customers, with the exact cause of each refusal.",
  load: attempts.load,
  url: ({ organization, outcome, database, key, request }, { from, to, ...selection }) =>
    attempts.url({
      org: organization,
      outcome,
      database,
      key,
      request,
      since: from,
      until: to,
      ...selection,
    }),
};

/** Counts the attempts of each day. */
export function attemptsByDay(filter: Filter<UsageQuery>): Promise<Usage> {
  return get(`/api/console/usage?${query(filter)}`);
}
