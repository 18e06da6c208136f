import { ERRORS, type ErrorCode } from "@dbdepot/contract/errors";
import type { HeaderList } from "./outlet.ts";
import { Ready } from "./ready.ts";
import type { Reply } from "./reply.ts";

/** How long a client should wait before it asks for a build that is not published yet. */
const RETRY_AFTER_SECONDS = 300;

const HEADERS = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
const BODIES = Object.fromEntries(
  Object.keys(ERRORS).map((code) => [code, Buffer.from(JSON.stringify({ rc: code }))]),
) as Record<ErrorCode, Buffer>;

/** The only way an error is answered: `{rc}`, the table's status, and nothing of the cause. */
export function sendError(reply: Reply, code: ErrorCode): Reply {
  const { status } = ERRORS[code];
  if (status === 503) reply.header("retry-after", String(RETRY_AFTER_SECONDS));
  return reply.code(status).headers(HEADERS).send(BODIES[code]);
}

/** The same, for one that is sent often, with more headers. */
export function readyError(code: ErrorCode, headers: HeaderList): Ready {
  const length = String(BODIES[code].length);
  return new Ready(
    ERRORS[code].status,
    [...headers, ...Object.entries(HEADERS).flat(), "content-length", length],
    BODIES[code],
  );
}
