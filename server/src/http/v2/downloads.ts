import { HISTORY_LIMIT } from "@dbdepot/contract/downloads";
import { attemptToWire } from "../../downloads/wire.ts";
import { isUuid } from "../../ids.ts";
import { parameter } from "../query.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";

/** The attempts of the caller's organization, newest first. It has no error but 401: what is no limit or cursor is ignored. */
export async function downloads({ parts, request, reply, organizationId }: Visit): Promise<Reply> {
  const limit = clampLimit(parameter(request, "limit"));
  const before = decodeCursor(parameter(request, "before"));
  // One more than the page shows tells whether there is a next page.
  const found = await parts.store.attempts.list({ organizationId, limit: limit + 1, ...(before && { before }) });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (last && found.length > limit)
    reply.header("link", `</api/v2/database/downloads?limit=${limit}&before=${encodeCursor(last.id)}>; rel="next"`);
  const body = JSON.stringify({ downloads: page.map(attemptToWire) });
  return reply.header("cache-control", "private, no-cache").sendJson(body);
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
