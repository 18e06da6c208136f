import { type DownloadList, HISTORY_LIMIT } from "@dbdepot/contract/v2/downloads";
import type { FastifyReply } from "fastify";
import { attemptToWire } from "../../domain/downloads/wire.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import { parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";

/** The attempts of the caller's organization, newest first. Invalid `limit` and `before` values are ignored. */
export async function downloads({ services, request, reply, organizationId }: KeyContext): Promise<FastifyReply> {
  const limit = clampLimit(parameter(request, "limit"));
  const before = decodeCursor(parameter(request, "before"));
  // One more than is shown tells whether there is a next page.
  const tables = /^(true|1)$/i.test(parameter(request, "tables") ?? "");
  const found = await services.store.attempts.list({ organizationId, before, tables, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (last && found.length > limit) {
    const query = `limit=${limit}&before=${encodeCursor(last.id)}${tables ? "&tables=true" : ""}`;
    reply.header("link", `</api/v2/database/downloads?${query}>; rel="next"`);
  }
  const body: DownloadList = { downloads: page.map(attemptToWire) };
  return reply.header("cache-control", "private, no-cache").send(body);
}

function clampLimit(text: string | undefined): number {
  if (text === undefined || !/^\s*[+-]?\d+\s*$/.test(text)) return HISTORY_LIMIT.default;
  return Math.min(HISTORY_LIMIT.maximum, Math.max(HISTORY_LIMIT.minimum, Number(text)));
}

function encodeCursor(attemptId: string): string {
  return Buffer.from(attemptId).toString("base64url");
}

function decodeCursor(cursor: string | undefined): string | undefined {
  const id = cursor && Buffer.from(cursor, "base64url").toString();
  return id && isUuid(id) ? id : undefined;
}
