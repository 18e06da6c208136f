import { Readable } from "node:stream";
import type { BuildGone } from "@dbdepot/contract/v2/changes";
import type { FastifyReply } from "fastify";
import type { Build } from "../../domain/builds/build.ts";
import { changedRows, notCompared } from "../../domain/builds/changes/comparison.ts";
import type { Outcome } from "../../domain/builds/changes/outcome.ts";
import { changesToWire } from "../../domain/builds/changes/wire.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import { refuseQuery } from "../attempts.ts";
import { sendError } from "../errors.ts";
import { parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";
import { verdictOnBuild } from "./verdict.ts";

/** Shorter than proxies wait for a response. */
const WAIT_MS = 20_000;
const RETRY_SECONDS = 5;
/** Each stream of rows occupies a thread. */
const MAX_STREAMS = 8;
const MAX_STREAMS_PER_ORGANIZATION = 2;

/** The organizations that are reading rows. */
const streams: string[] = [];

/** Sends what changed between two builds: counts with examples, or the rows themselves. */
export async function changes(context: KeyContext): Promise<FastifyReply> {
  const { request, reply } = context;
  const { format = "csvgz", from: fromId, to: toId } = request.query as Record<string, unknown>;
  if (format !== "csvgz") return sendError(reply, "INVALID_FORMAT");
  const verdict = await verdictOnBuild(context, { format, sample: false }, toId);
  if (!verdict.granted) return refuseQuery(context, "changes", verdict.refusal, REFUSALS[verdict.refusal].rc);
  const to = verdict.build;
  const from = await olderBuild(context, to, fromId);
  if (from === "unknown") return refuseQuery(context, "changes", "unknown_build", "UNKNOWN_BUILD");
  const wantsRows = /^(true|1)$/i.test(parameter(request, "rows") ?? "");
  const isKept = from?.state === "published";
  // The counts of a comparison stay valid after a build was removed, but its rows are gone.
  if (from && !isKept && (fromId !== undefined || wantsRows)) return sendGone(context, to.versionId);
  const outcome = from ? await outcomeOf(context, from, to, isKept) : notCompared("this is the first build");
  if (outcome === "gone") return sendGone(context, to.versionId);
  if (!outcome) return sendPending(reply);
  if (wantsRows) return sendRows(context, from, to, outcome);
  return reply
    .header("x-build-id", to.id)
    .header("cache-control", "private, no-cache")
    .send(changesToWire(from, to, outcome));
}

/** The build to compare with; undefined if `to` was the first one. */
async function olderBuild(context: KeyContext, to: Build, fromId: unknown): Promise<Build | "unknown" | undefined> {
  const { builds } = context.services.store;
  if (fromId === undefined) {
    const lineage = await builds.lineage(to.versionId);
    const previousId = lineage.find(({ buildId }) => buildId === to.id)?.previousBuildId;
    return previousId ? builds.byId(previousId) : undefined;
  }
  const found = typeof fromId === "string" ? await builds.byId(fromId) : undefined;
  return found?.versionId === to.versionId && found.state !== "staged" ? found : "unknown";
}

async function outcomeOf(
  { services }: KeyContext,
  from: Build,
  to: Build,
  isKept: boolean,
): Promise<Outcome | "gone" | undefined> {
  const pair = { from: from.id, to: to.id };
  if (isKept) return services.comparer.changes(pair, WAIT_MS);
  return (await services.store.changes.find(pair)) ?? "gone";
}

function sendPending(reply: FastifyReply): FastifyReply {
  return sendError(reply.header("retry-after", String(RETRY_SECONDS)), "CHANGES_PENDING");
}

/** Names the oldest build that can be compared with, so that a gap is not mistaken for no changes. */
async function sendGone({ services, reply }: KeyContext, versionId: string): Promise<FastifyReply> {
  services.metrics.refusedQueries.inc({ endpoint: "changes", cause: "build_gone" });
  const oldest = (await services.store.builds.list(versionId, { states: ["published"] })).at(-1);
  const body: BuildGone = { rc: "BUILD_GONE", oldest_build_id: oldest?.id ?? null };
  return reply.code(410).header("cache-control", "no-store").send(body);
}

function sendRows(context: KeyContext, from: Build | undefined, to: Build, outcome: Outcome): FastifyReply {
  const { services, request, reply, organizationId } = context;
  if (!from || outcome.state === "not_compared") return sendError(reply, "NOT_COMPARABLE");
  const own = streams.filter((id) => id === organizationId).length;
  if (streams.length >= MAX_STREAMS || own >= MAX_STREAMS_PER_ORGANIZATION) return sendPending(reply);
  reply
    .header("content-type", "text/csv; charset=utf-8; header=present")
    .header("content-disposition", `attachment; filename="${to.versionId}-changes.csv"`)
    .header("cache-control", "private, no-cache")
    .header("x-build-id", to.id);
  if (request.method === "HEAD") return reply.send();
  const rows = changedRows(services.objects, { before: from, after: to }, outcome.strategy);
  streams.push(organizationId);
  const stream = Readable.from(rows, { objectMode: false });
  stream.once("close", () => streams.splice(streams.indexOf(organizationId), 1));
  return reply.send(stream);
}
