import { Readable } from "node:stream";
import { OperatorAttempt } from "@dbdepot/contract/operator";
import type { HistoryQuery } from "@dbdepot/contract/operator-queries";
import type { AttemptList } from "@dbdepot/contract/operator-responses";
import type { FastifyReply } from "fastify";
import type { AttemptFilter, AttemptStore } from "../../downloads/store.ts";
import { attemptToOperatorWire } from "../../downloads/wire.ts";
import { requireKey } from "../../keys/keys.ts";
import { requireTime } from "../../primitives/dates.ts";
import { invalid } from "../../primitives/faults.ts";
import { isUuid } from "../../primitives/ids.ts";
import type { Store } from "../../store.ts";
import { byId, pageOf } from "../page.ts";
import { prefersCsv } from "./accept.ts";
import { csvLine } from "./csv.ts";
import { organizationFilter } from "./organizations.ts";
import type { OperatorContext } from "./route.ts";

type Filter = Omit<AttemptFilter, "limit" | "before">;

/** An export holds this many attempts in memory at a time. */
const EXPORT_PAGE = 1000;
const COLUMNS = Object.keys(OperatorAttempt.properties) as (keyof OperatorAttempt)[];

/** Attempts, newest first: a page as JSON, or all matching ones as CSV. */
export async function history(context: OperatorContext<HistoryQuery>): Promise<AttemptList | FastifyReply> {
  const { services, query, request, reply } = context;
  const { attempts } = services.store;
  const filter = await filterOf(services.store, query);
  reply.header("vary", "Accept");
  const isCsv = query.format === undefined ? prefersCsv(request.headers.accept) : query.format === "csv";
  if (isCsv) return sendCsv(context, filter);
  const page = await pageOf(context, byId, ({ limit, from }) =>
    attempts.list({ ...filter, limit, ...(from !== undefined && { before: from }) }),
  );
  return { attempts: page.map(attemptToOperatorWire) };
}

async function filterOf(store: Store, query: HistoryQuery): Promise<Filter> {
  const { outcome, api } = query;
  const since = requireTime("since", query.since);
  const until = requireTime("until", query.until);
  return {
    ...(await organizationFilter(store, query.org)),
    ...(query.key !== undefined && { keyId: await keyIdOf(store, query.key) }),
    ...(query.database !== undefined && { datasetId: query.database }),
    ...(outcome && { outcome }),
    ...(api && { api }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

async function keyIdOf(store: Store, key: string): Promise<string> {
  const legacy = isUuid(key) ? await store.legacyKeys.byId(key.toLowerCase()) : undefined;
  return legacy?.id ?? (await requireKey(store, key)).id;
}

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
    const page = await attempts.list({ ...filter, limit: EXPORT_PAGE, ...(before !== undefined && { before }) });
    if (page.length > 0) yield page.map((attempt) => csvLine(cellsOf(attemptToOperatorWire(attempt)))).join("");
    if (page.length < EXPORT_PAGE) return;
    before = page.at(-1)?.id;
  }
}

function cellsOf(attempt: OperatorAttempt) {
  return COLUMNS.map((column) => attempt[column]);
}
