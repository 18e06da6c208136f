import {
  ConsoleDownload,
  type ConsoleDownloadList,
  type ConsoleDownloadsQuery,
} from "@dbdepot/contract/console/history";
import type { FastifyReply } from "fastify";
import type { Attempt } from "../../domain/downloads/attempt.ts";
import { attemptToWire } from "../../domain/downloads/wire.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { sendCsv, wantsCsv } from "../operator/csv-export.ts";
import { byId, pageOf } from "../page.ts";
import type { PersonContext } from "./route.ts";

/** The attempts of the person's organization, newest first: a page as JSON, or all matching ones as CSV. */
export async function listDownloads(
  context: PersonContext<ConsoleDownloadsQuery>,
): Promise<ConsoleDownloadList | FastifyReply> {
  const { services, query, caller } = context;
  const { attempts } = services.store;
  const filter = {
    // The roles of this route have an organization. If one had none, it would find nothing.
    organizationId: caller.account.organizationId ?? "",
    outcome: query.outcome,
    datasetId: query.database,
    keyId: query.key,
    since: requireTime("from", query.from),
    until: requireTime("to", query.to),
  };
  if (wantsCsv(context)) {
    return sendCsv(context, {
      name: "history",
      columns: Object.keys(ConsoleDownload.properties),
      list: (page) => attempts.list({ ...filter, ...page }),
      toRecord,
    });
  }
  const page = await pageOf(context, byId, ({ limit, from }) => attempts.list({ ...filter, limit, before: from }));
  return { downloads: page.map(toRecord) };
}

function toRecord(attempt: Attempt): ConsoleDownload {
  return { id: attempt.id, ...attemptToWire(attempt) };
}
