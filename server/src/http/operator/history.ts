import { Readable } from "node:stream";
import { OperatorAttempt } from "@dbdepot/contract/operator";
import { HistoryQuery } from "@dbdepot/contract/operator-queries";
import { AttemptList } from "@dbdepot/contract/operator-responses";
import type { FastifyReply } from "fastify";
import { attemptFilter } from "../../downloads/filter.ts";
import type { AttemptFilter, AttemptStore } from "../../downloads/store.ts";
import { attemptToOperatorWire } from "../../downloads/wire.ts";
import { requireTime } from "../../primitives/dates.ts";
import { invalid } from "../../primitives/faults.ts";
import { byId, pageOf } from "../page.ts";
import { prefersCsv } from "./accept.ts";
import { csvLine } from "./csv.ts";
import { type OperatorContext, operatorRoute } from "./route.ts";

type Filter = Omit<AttemptFilter, "limit">;

/** An export holds this many attempts in memory at a time. */
const EXPORT_PAGE = 1000;
const COLUMNS = Object.keys(OperatorAttempt.properties) as (keyof OperatorAttempt)[];

/** Attempts, newest first: a page as JSON, or all matching ones as CSV. */
export const HISTORY_ROUTE = operatorRoute({
  method: "GET",
  url: "/api/operator/history",
  scope: "operator.read",
  summary: "List all download attempts",
  query: HistoryQuery,
  response: AttemptList,
  async respond(context) {
    const { query, request, reply } = context;
    const { store } = context.services;
    const since = requireTime("since", query.since);
    const until = requireTime("until", query.until);
    const filter = await attemptFilter(store, { ...query, since, until });
    reply.header("vary", "Accept");
    const isCsv = query.format === undefined ? prefersCsv(request.headers.accept) : query.format === "csv";
    if (isCsv) return sendCsv(context, filter);
    const page = await pageOf(context, byId, ({ limit, from }) =>
      store.attempts.list({ ...filter, limit, before: from }),
    );
    return { attempts: page.map(attemptToOperatorWire) };
  },
});

function sendCsv(
  { services, query, request, reply, now }: OperatorContext<HistoryQuery>,
  filter: Filter,
): FastifyReply {
  if (query.limit !== undefined || query.cursor !== undefined) {
    throw invalid("a CSV export contains all matching attempts: remove limit and cursor");
  }
  reply
    .header("content-type", "text/csv; charset=utf-8; header=present")
    .header("content-disposition", `attachment; filename="history-${now.toISOString().slice(0, 10)}.csv"`);
  if (request.method === "HEAD") return reply.send();
  return reply.send(Readable.from(csvPages(services.store.attempts, filter)));
}

/** Reads page by page, as fast as the client takes them, in constant memory. */
async function* csvPages(attempts: AttemptStore, filter: Filter): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  let before: string | undefined;
  for (;;) {
    const page = await attempts.list({ ...filter, limit: EXPORT_PAGE, before });
    if (page.length > 0) yield page.map((attempt) => csvLine(cellsOf(attemptToOperatorWire(attempt)))).join("");
    if (page.length < EXPORT_PAGE) return;
    before = page.at(-1)?.id;
  }
}

function cellsOf(attempt: OperatorAttempt) {
  return COLUMNS.map((column) => attempt[column]);
}
