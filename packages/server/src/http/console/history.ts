import { CUSTOMER_ROLES, ROLES } from "@dbdepot/contract/console/accounts";
import {
  ConsoleDownload,
  ConsoleDownloadList,
  ConsoleDownloadsQuery,
  Usage,
  UsageQuery,
} from "@dbdepot/contract/console/history";
import type { FastifyReply } from "fastify";
import type { Attempt } from "../../domain/downloads/attempt.ts";
import { everyDay, periodOfDays } from "../../domain/downloads/days.ts";
import { attemptFilter } from "../../domain/downloads/filter.ts";
import { attemptToWire, type NamedAttempt, withKeyNames } from "../../domain/downloads/wire.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { endpoint, type PersonContext } from "../endpoint.ts";
import { newestFirst, sendCsv, wantsCsv } from "../operator/csv.ts";
import { byId, pageOf } from "../page.ts";

export const HISTORY_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/console/downloads",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: listDownloads,
    summary: "List your organization's download attempts",
    description:
      "Returns attempts newest first. The `Link` header points to the next page. With `format=csv` or `Accept: text/csv`, returns all matching attempts as one CSV file; values a spreadsheet would treat as formulas are prefixed with an apostrophe.",
    query: ConsoleDownloadsQuery,
    response: ConsoleDownloadList,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/usage",
    scope: "account",
    roles: ROLES,
    respond: getUsage,
    summary: "Count download attempts per day",
    description:
      "Returns granted downloads, refused attempts and bytes for every day of a period, in UTC. Operators see all organizations or one, others see their own.",
    query: UsageQuery,
    response: Usage,
    errors: ["NOT_FOUND"],
  }),
];

/** The attempts of the person's organization, newest first: a page as JSON, or all matching ones as CSV. */
async function listDownloads(
  context: PersonContext<ConsoleDownloadsQuery>,
): Promise<ConsoleDownloadList | FastifyReply> {
  const { services, query, caller } = context;
  const { attempts, keys } = services.store;
  // Viewers cannot list keys, so they do not see their names either.
  const named = async (found: readonly Attempt[]): Promise<NamedAttempt[]> =>
    caller.account.role === "viewer"
      ? found.map((attempt) => ({ ...attempt, keyName: null }))
      : withKeyNames({ keys }, found);
  const filter = {
    // All roles of this route have an organization. A person without one would find nothing.
    organizationId: caller.account.organizationId ?? "",
    outcome: query.outcome,
    datasetId: query.database,
    keyId: query.key,
    id: query.request?.trim().toLowerCase(),
    since: requireTime("from", query.from),
    until: requireTime("to", query.to),
  };
  if (wantsCsv(context)) {
    return sendCsv(context, {
      name: "history",
      columns: Object.keys(ConsoleDownload.properties),
      pages: newestFirst(async (page) => named(await attempts.list({ ...filter, ...page }))),
      toRecord,
    });
  }
  const page = await pageOf(context, byId, ({ limit, from }) => attempts.list({ ...filter, limit, before: from }));
  return { downloads: (await named(page)).map(toRecord) };
}

function toRecord(attempt: NamedAttempt): ConsoleDownload {
  return { id: attempt.id, ...attemptToWire(attempt), key_name: attempt.keyName, cause: attempt.cause };
}

/** Customers see the usage of their own organization, whatever they ask for. */
async function getUsage({ services, query, caller, now }: PersonContext<UsageQuery>): Promise<Usage> {
  const { store } = services;
  const period = periodOfDays(query.from, query.to, now);
  const { organizationId } = caller.account;
  const { organization: org, key, database, outcome } = query;
  const filter =
    organizationId === null
      ? await attemptFilter(store, { org, key, database, outcome })
      : { organizationId, keyId: key, datasetId: database, outcome };
  return { days: everyDay(period, await store.attempts.countsByDay({ ...filter, ...period })) };
}
