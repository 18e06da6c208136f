import { ERRORS, type ErrorCode } from "@dbdepot/contract/errors";
import type { Reply } from "./reply.ts";

/** How long a client should wait before it asks for a build that is not published yet. */
const RETRY_AFTER_SECONDS = 300;

const BODIES = Object.fromEntries(
  Object.keys(ERRORS).map((code) => [code, Buffer.from(JSON.stringify({ rc: code }))]),
) as Record<ErrorCode, Buffer>;

/** The only way an error is answered: `{rc}`, the table's status, and nothing of the cause. */
export function sendError(reply: Reply, code: ErrorCode): Reply {
  const { status } = ERRORS[code];
  if (status === 503) reply.header("retry-after", String(RETRY_AFTER_SECONDS));
  return reply
    .code(status)
    .header("content-type", "application/json; charset=utf-8")
    .header("cache-control", "no-store")
    .send(BODIES[code]);
}
