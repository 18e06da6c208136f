import {
  SCHEMA_NAME,
  type SchemaList,
  type ShareList,
  type ShareResponse,
  type TableList,
} from "@dbdepot/contract/delta-sharing/tables";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Family } from "../../domain/catalogue/family.ts";
import type { Version } from "../../domain/catalogue/version.ts";
import { sendError } from "../errors.ts";
import { parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";
import { verdictForTable } from "../v2/verdict.ts";

const PAGE_ITEMS = 500;

/** A family with the versions whose tables the caller can read. */
interface Share {
  family: Family;
  versions: Version[];
}

/** Names in the path are case-insensitive. */
interface TablePath {
  share: string;
  schema: string;
  table: string;
}

export function shares(context: KeyContext): FastifyReply {
  const items = readableShares(context).map(({ family }) => ({ name: family.base }));
  return sendPage<ShareList["items"][number]>(context, items);
}

export function share(context: KeyContext): FastifyReply {
  const found = shareInPath(context);
  if (!found) return sendError(context.reply, "UNKNOWN_DATASET");
  return send(context, { share: { name: found.family.base } } satisfies ShareResponse);
}

export function schemas(context: KeyContext): FastifyReply {
  const found = shareInPath(context);
  if (!found) return sendError(context.reply, "UNKNOWN_DATASET");
  return sendPage<SchemaList["items"][number]>(context, [{ name: SCHEMA_NAME, share: found.family.base }]);
}

/** The tables of the only schema, which are all tables of the share. */
export function tables(context: KeyContext): FastifyReply {
  const found = shareInPath(context);
  const { schema = SCHEMA_NAME } = pathOf(context.request);
  if (!found || schema.toLowerCase() !== SCHEMA_NAME) return sendError(context.reply, "UNKNOWN_DATASET");
  const items = found.versions.map(({ id }) => ({ name: id, schema: SCHEMA_NAME, share: found.family.base }));
  return sendPage<TableList["items"][number]>(context, items as TableList["items"]);
}

/** The id of the version that the path names, as it was added; the name in the path if there is no such table. */
export function tableId({ services, request }: Pick<KeyContext, "services" | "request">): string {
  const { share = "", schema = "", table = "" } = pathOf(request);
  const versions = services.register.families
    .filter(({ family }) => isSame(family.base, share) && isSame(SCHEMA_NAME, schema))
    .flatMap((entry) => entry.versions);
  const found = versions.find(({ id }) => id === table) ?? versions.find(({ id }) => isSame(id, table));
  // A name with a slash is not the id of a version.
  return found?.id ?? `${share}/${schema}/${table}`;
}

/** Families of which the caller may read a table, now or after accepting terms. Ordered by name. */
function readableShares(context: KeyContext): Share[] {
  return context.services.register.families.flatMap(({ family, versions }) => {
    const readable = versions.filter(({ id }) => {
      const verdict = verdictForTable(context, id);
      return verdict.granted || verdict.refusal === "terms_not_accepted";
    });
    return readable.length > 0 ? [{ family, versions: readable }] : [];
  });
}

function shareInPath(context: KeyContext): Share | undefined {
  const { share = "" } = pathOf(context.request);
  const readable = readableShares(context);
  return (
    readable.find(({ family }) => family.base === share) ?? readable.find(({ family }) => isSame(family.base, share))
  );
}

function pathOf({ params }: FastifyRequest): Partial<TablePath> {
  return params as Partial<TablePath>;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The token of a page is the number of items before it. */
function sendPage<Item>(context: KeyContext, items: readonly Item[]): FastifyReply {
  const count = numberOf(parameter(context.request, "maxResults"), PAGE_ITEMS);
  const start = numberOf(parameter(context.request, "pageToken"), 0);
  if (count === undefined || start === undefined) return sendError(context.reply, "INVALID_REQUEST");
  const next = start + count;
  return send(context, {
    items: items.slice(start, next),
    ...(next < items.length && { nextPageToken: String(next) }),
  });
}

function numberOf(text: string | undefined, otherwise: number): number | undefined {
  if (text === undefined || text === "") return otherwise;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function send({ reply }: KeyContext, body: object): FastifyReply {
  return reply.header("cache-control", "private, no-cache").send(body);
}
