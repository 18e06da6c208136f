import { OperatorUsageLine, OperatorUsageQuery, OperatorUsageReport } from "@dbdepot/contract/operator/usage";
import { organizationIdOf } from "../../domain/access/find-organization.ts";
import { usageFilter } from "../../domain/usage/report.ts";
import { usageFacts, usageToOperatorWire } from "../../domain/usage/wire.ts";
import { endpoint } from "../endpoint.ts";
import { listPage } from "../page.ts";
import { inOrder, sendCsv, wantsCsv } from "./csv.ts";

/** Totals of all organizations or one: a page as JSON, or all lines as CSV. */
export const USAGE_ROUTE = endpoint({
  method: "GET",
  url: "/api/operator/usage",
  scope: "operator.read",
  summary: "Report usage",
  description:
    "Returns what organizations downloaded, by day, month or database. Samples are not counted. A day is final three days after its end, a month with its last day. Final numbers never change, and stay when the history is deleted.",
  query: OperatorUsageQuery,
  response: OperatorUsageReport,
  async respond(context) {
    const { query, now } = context;
    const { store } = context.services;
    const { usage } = store;
    const filter = usageFilter(query, await organizationIdOf(store, query.org), now);
    const progress = await usage.progress();
    if (wantsCsv(context)) {
      const { search, sort } = query;
      return sendCsv(context, {
        name: "usage",
        columns: Object.keys(OperatorUsageLine.properties),
        pages: inOrder((page) => usage.page(filter, { search, sort, ...page })),
        toRecord: (row) => usageToOperatorWire(filter, row, progress),
      });
    }
    // Counting the lines would add everything up once more.
    const rows = await listPage(context, (page) => usage.page(filter, { ...page, counts: false }));
    return {
      usage: rows.map((row) => usageToOperatorWire(filter, row, progress)),
      ...(await usageFacts(usage, filter, progress, query.search)),
    };
  },
});
