import type { TableQuery } from "@dbdepot/contract/delta-sharing/tables";
import type { FastifyReply, FastifyRequest } from "fastify";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import type { SharedFile, TableVersion } from "../../domain/sharing/shared-table.ts";
import { isProblem, SharedTable, type TableProblem } from "../../domain/sharing/table.ts";
import {
  type RefusedAttempt,
  type RequestedFile,
  recordAttempt,
  recordRefusal,
  refuseAttempt,
  refuseQuery,
  requesterOf,
} from "../attempts.ts";
import { claimFile, refuseLimited } from "../limits.ts";
import { parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";
import { verdictForTable } from "../v2/verdict.ts";
import { bytesOf, fileAction, headerActions, sendActions } from "./actions.ts";
import { tableId } from "./catalogue.ts";
import { sendSharingError } from "./errors.ts";

/** The next version is written within minutes. */
const RETRY_SECONDS = 30;

/** The format in the history. The interface's formats are those of the files that are downloaded. */
export function requestedTable({ params }: FastifyRequest): RequestedFile {
  const { table } = params as { table: string };
  return { datasetId: table, format: "parquet", sample: false };
}

/** Sends the number of the newest version. Made for polling. */
export async function tableVersion(context: KeyContext): Promise<FastifyReply> {
  const opened = await open(context);
  if ("refused" in opened) return opened.refused;
  const { table } = opened;
  const starting = timeIn(parameter(context.request, "startingTimestamp"));
  if (starting === "invalid") return refuseTime(context, "startingTimestamp");
  const version = starting ? table.since(starting) : table.current();
  if (isProblem(version)) return sendProblem(context, version);
  return sendActions(context.reply, version.number, []);
}

export async function tableMetadata(context: KeyContext): Promise<FastifyReply> {
  const opened = await open(context);
  if ("refused" in opened) return opened.refused;
  const version = opened.table.current();
  if (isProblem(version)) return sendProblem(context, version);
  const actions = headerActions(context, version, opened.table.rowsOf(version), false);
  return sendActions(context.reply, version.number, actions);
}

/** Sends links to the files with the rows of a version. This is a download: it is in the history and counts for limits. */
export async function queryTable(context: KeyContext): Promise<FastifyReply> {
  const opened = await open(context, true);
  if ("refused" in opened) return opened.refused;
  const { table, open: isOpen } = opened;
  const { version: number, timestamp, limitHint, startingVersion } = (context.request.body ?? {}) as TableQuery;
  const time = timeIn(timestamp);
  if (time === "invalid") return refuseTime(context, "timestamp", true);
  if (startingVersion !== undefined) {
    return refuse(context, "Changes are available at /changes: a query returns the rows of one version.");
  }
  const version = number !== undefined ? table.at(number) : time ? table.atTime(time) : table.current();
  if (isProblem(version)) return sendProblem(context, version, true);
  const rows = table.rowsOf(version);
  const sent = limitHint === undefined ? rows : enoughFor(limitHint, rows);
  const actions = [
    ...headerActions(context, version, rows, number !== undefined || time !== undefined),
    ...sent.map((file) => fileAction(context, "file", version, file)),
  ];
  return sendFiles(context, { version, files: sent, open: isOpen, patch: false }, actions);
}

/** Sends links to the files with the changes of several versions. This is a download, too. */
export async function tableChanges(context: KeyContext): Promise<FastifyReply> {
  const opened = await open(context, true);
  if ("refused" in opened) return opened.refused;
  const { table, open: isOpen } = opened;
  const newest = table.current();
  if (isProblem(newest)) return sendProblem(context, newest, true);
  const first = boundary(context, table, "starting");
  const last = boundary(context, table, "ending");
  if (first === undefined) return refuse(context, "startingVersion or startingTimestamp is missing.");
  for (const found of [first, last]) {
    if (typeof found === "string") return refuse(context, found);
    if (found && isProblem(found)) return sendProblem(context, found, true);
  }
  const [from, to] = [first, last ?? newest] as { number: number }[];
  if (!from || !to || from.number > to.number) return refuse(context, "The end is before the start.");
  const changes = table.changes(from.number, to.number);
  if (isProblem(changes)) return sendProblem(context, changes, true);
  const files = changes.flatMap(({ added, changed }) => [...added, ...changed]);
  const actions = [
    ...headerActions(context, newest, table.rowsOf(newest), false),
    ...changes.flatMap(({ version, added, changed }) => [
      ...added.map((file) => fileAction(context, "add", version, file)),
      ...changed.map((file) => fileAction(context, "cdf", version, file)),
    ]),
  ];
  return sendFiles(context, { version: newest, files, open: isOpen, patch: true }, actions);
}

/** One end of a range of versions; undefined if it is not given, and a sentence if it is invalid. */
function boundary(
  { request }: KeyContext,
  table: SharedTable,
  end: "starting" | "ending",
): { number: number } | TableProblem | string | undefined {
  const [version, timestamp] = [parameter(request, `${end}Version`), parameter(request, `${end}Timestamp`)];
  if (version !== undefined) {
    if (!/^\d{1,15}$/.test(version)) return `${end}Version must be a whole number.`;
    // Versions count from 1, but many programs start with 0.
    const number = Math.max(1, Number(version));
    const isKnown = number <= table.newestNumber;
    // The end of a range may be in the future.
    if (!isKnown && end === "ending") return { number: table.newestNumber };
    return isKnown ? { number } : (table.at(number) as TableProblem);
  }
  const time = timeIn(timestamp);
  if (time === "invalid") return `${end}Timestamp must be a time such as 2026-11-17T06:00:00Z.`;
  return time && (end === "starting" ? table.since(time) : table.until(time));
}

/** The first files that have enough rows. */
function enoughFor(limit: number, files: readonly SharedFile[]): SharedFile[] {
  let rows = 0;
  return files.filter((file, index) => {
    const isNeeded = index === 0 || rows < limit;
    rows += file.rows;
    return isNeeded;
  });
}

interface Granted {
  version: TableVersion;
  files: readonly SharedFile[];
  open: boolean;
  patch: boolean;
}

/** Counts and records the links before they are sent. */
async function sendFiles(
  context: KeyContext,
  { version, files, open, patch }: Granted,
  actions: Parameters<typeof sendActions>[2],
): Promise<FastifyReply> {
  const { services, request, reply, organizationId } = context;
  const requester = requesterOf(context);
  // The path may name it in other cases.
  const requested = { ...requestedTable(request), datasetId: version.versionId };
  const bytes = bytesOf(files);
  using claim = await claimFile(context, { organizationId, status: 200, bytes, isStream: false });
  if (claim.refusal) return refuseLimited(context, "tables", requester, claim.refusal, requested);
  services.metrics.linksSigned.inc(files.length);
  const result = { outcome: "ok", httpStatus: 200, bytes, buildId: version.buildId, open, patch } as const;
  await claim.settle(200, recordAttempt(context, "tables", requester, result, requested));
  return sendActions(reply, version.number, actions);
}

type Opened = { table: SharedTable; open: boolean } | { refused: FastifyReply | Promise<FastifyReply> };

/** Loads the table if the caller may read it, in the order of checks of a download. */
async function open(context: KeyContext, isAttempt = false): Promise<Opened> {
  const id = tableId(context);
  const verdict = verdictForTable(context, id);
  if (!verdict.granted) {
    const refusal = { ...REFUSALS[verdict.refusal], cause: verdict.refusal };
    return {
      refused: isAttempt ? refuseTable(context, refusal) : refuseQuery(context, "table", refusal.cause, refusal.rc),
    };
  }
  return { table: await SharedTable.load(context.services.store, id), open: verdict.open };
}

function refuseTable(context: KeyContext, refusal: RefusedAttempt): Promise<FastifyReply> {
  return refuseAttempt(context, "tables", requesterOf(context), refusal, requestedTable(context.request));
}

const PROBLEMS = {
  not_published: { rc: "NOT_AVAILABLE", outcome: "unavailable", cause: "not_published" },
  unknown: { rc: "UNKNOWN_BUILD", outcome: "unknown", cause: "unknown_build" },
  gone: { rc: "VERSION_GONE", outcome: "unavailable", cause: "build_gone" },
} as const satisfies Record<TableProblem["problem"], RefusedAttempt>;

async function sendProblem(
  context: KeyContext,
  { problem, message }: TableProblem,
  isAttempt = false,
): Promise<FastifyReply> {
  const refusal = PROBLEMS[problem];
  if (problem === "not_published") context.reply.header("retry-after", String(RETRY_SECONDS));
  await count(context, refusal, isAttempt);
  return sendSharingError(context.reply, refusal.rc, message);
}

async function refuse(context: KeyContext, message: string, isAttempt = true): Promise<FastifyReply> {
  await count(context, { rc: "INVALID_REQUEST", outcome: "unavailable", cause: "invalid_request" }, isAttempt);
  return sendSharingError(context.reply, "INVALID_REQUEST", message);
}

function refuseTime(context: KeyContext, name: string, isAttempt = false): Promise<FastifyReply> {
  return refuse(context, `${name} must be a time such as 2026-11-17T06:00:00Z.`, isAttempt);
}

/** Refused queries are in the history; other refusals are only counted. */
async function count(context: KeyContext, refusal: RefusedAttempt, isAttempt: boolean): Promise<void> {
  if (!isAttempt) return context.services.metrics.refusedQueries.inc({ endpoint: "table", cause: refusal.cause });
  await recordRefusal(context, "tables", requesterOf(context), refusal, requestedTable(context.request));
}

const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Undefined if there is none. A time without an offset is in UTC. */
function timeIn(text: string | undefined): Date | "invalid" | undefined {
  if (text === undefined) return undefined;
  const hasOffset = /(Z|[+-]\d\d:?\d\d)$/.test(text) || /^\d{4}-\d\d-\d\d$/.test(text);
  const time = new Date(hasOffset ? text : `${text}Z`);
  return TIME.test(text) && !Number.isNaN(time.getTime()) ? time : "invalid";
}
