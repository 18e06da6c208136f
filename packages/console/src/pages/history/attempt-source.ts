import { api, type ItemPage } from "../../app/api.ts";
import type { Attempt } from "./attempt-table.tsx";
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

/** The attempts of the person's own organization. */
export const ownAttempts: AttemptSource = {
  description: "Every download attempt of your organization's keys and people, refused ones included.",
  load: api.downloads,
  url: ({ outcome, database, key, request }, selection) =>
    api.downloadsUrl({ outcome, database, key, request, ...selection }),
};

/** The attempts of all organizations, for operators. */
export const allAttempts: AttemptSource = {
  description: "Every download attempt of all customers, with the exact cause of each refusal.",
  load: api.attempts,
  url: ({ organization, outcome, database, key, request }, { from, to, ...selection }) =>
    api.attemptsUrl({
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
