import { HISTORY_LIMIT } from "@dbdepot/contract/downloads";
import { isUuid } from "../../ids.ts";
import { parameter } from "../query.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";

/** The attempts of the caller's organization, newest first. It has no error but 401: what is no limit or cursor is ignored. */
export async function downloads({ parts, request, reply, organizationId }: Visit): Promise<Reply> {
  const limit = clampLimit(parameter(request, "limit"));
  const before = decodeCursor(parameter(request, "before"));
  const { json, next } = await parts.store.attempts.page({ organizationId, before, limit });
  if (next)
    reply.header("link", `</api/v2/database/downloads?limit=${limit}&before=${encodeCursor(next)}>; rel="next"`);
  return reply.header("cache-control", "private, no-cache").sendJson(`{"downloads":[${json}]}`);
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
