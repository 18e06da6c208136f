import { AttemptList, HistoryQuery, OperatorAttempt } from "@dbdepot/contract/operator/history";
import { attemptFilter } from "../../domain/downloads/filter.ts";
import { attemptToOperatorWire, withKeyNames } from "../../domain/downloads/wire.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { endpoint } from "../endpoint.ts";
import { byId, pageOf } from "../page.ts";
import { newestFirst, sendCsv, wantsCsv } from "./csv.ts";

/** Attempts, newest first: a page as JSON, or all matching ones as CSV. */
export const HISTORY_ROUTE = endpoint({
  method: "GET",
  url: "/api/operator/history",
  scope: "operator.read",
  summary: "List all download attempts",
  query: HistoryQuery,
  response: AttemptList,
  async respond(context) {
    const { query } = context;
    const { store } = context.services;
    const since = requireTime("since", query.since);
    const until = requireTime("until", query.until);
    const filter = await attemptFilter(store, { ...query, since, until });
    if (wantsCsv(context)) {
      return sendCsv(context, {
        name: "history",
        columns: Object.keys(OperatorAttempt.properties),
        pages: newestFirst(async (page) => withKeyNames(store, await store.attempts.list({ ...filter, ...page }))),
        toRecord: attemptToOperatorWire,
      });
    }
    const page = await pageOf(context, byId, ({ limit, from }) =>
      store.attempts.list({ ...filter, limit, before: from }),
    );
    return { attempts: (await withKeyNames(store, page)).map(attemptToOperatorWire) };
  },
});
