import { isUsageBy, UsageLine, type UsageReport } from "@dbdepot/contract/v2/usage";
import type { FastifyReply } from "fastify";
import { usageFilter } from "../../domain/usage/report.ts";
import { usageFacts, usageToWire } from "../../domain/usage/wire.ts";
import { Fault } from "../../platform/primitives/faults.ts";
import { CALLER_HEADERS } from "../credentials.ts";
import { sendError } from "../errors.ts";
import { prefersCsv, sendCsv } from "../operator/csv.ts";
import { parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";

/** Responds with what the caller's organization downloaded, by day, month or database, as JSON or CSV. */
export async function usage(context: KeyContext): Promise<FastifyReply> {
  const { services, request, reply } = context;
  const { usage } = services.store;
  const filter = requestedFilter(context);
  if (!filter) return sendError(reply, "INVALID_REQUEST");
  const progress = await usage.progress();
  const { items } = await usage.page(filter, {});
  const lines = items.map((row) => usageToWire(filter, row, progress));
  reply.header("cache-control", "private, no-cache").header("vary", `${CALLER_HEADERS}, Accept`);
  if (parameter(request, "format") === "csv" || prefersCsv(request.headers.accept)) {
    const columns = Object.keys(UsageLine.properties);
    return sendCsv({ ...context, query: {} }, { name: "usage", columns, pages: [lines], toRecord: (line) => line });
  }
  const body: UsageReport = { usage: lines, ...(await usageFacts(usage, filter, progress)) };
  return reply.send(body);
}

/** Undefined if a parameter is invalid. A mistyped period must not report another one. */
function requestedFilter({ request, organizationId, now }: KeyContext) {
  const [from, to, by] = ["from", "to", "by"].map((name) => parameter(request, name));
  if (by !== undefined && !isUsageBy(by)) return undefined;
  try {
    return usageFilter({ from, to, by }, organizationId, now);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
