import type { Logger } from "pino";
import type { Reply } from "./reply.ts";
import type { Request } from "./request.ts";

/** One line a request, once it is over. The address without its query: that may hold a key. */
export function requestLog(log: Logger): (request: Request, reply: Reply) => void {
  // Every field is chosen here. To search them for what must not be logged costs as much as the line itself.
  const lines = log.child({}, { redact: [] });
  return (request, reply) => {
    const { caller, legacyKey } = request;
    lines.info(
      {
        method: request.method,
        route: request.route ?? null,
        status: reply.isSent ? reply.statusCode : null,
        ms: Math.round((performance.now() - request.begunMs) * 100) / 100,
        request_id: request.id,
        organization: (caller?.key ?? legacyKey)?.organizationId ?? null,
        key: caller?.prefix ?? legacyKey?.id ?? null,
        ...(request.keyProblem && { refused: request.keyProblem }),
        // The client went away before the end.
        ...(!reply.raw.writableFinished && { cut_off: true }),
      },
      "request",
    );
  };
}
