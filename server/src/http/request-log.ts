import { performance } from "node:perf_hooks";
import { type Logger, pino } from "pino";
import type { Reply } from "./reply.ts";
import type { Request } from "./request.ts";

/**
 * One line a request, once it is over. The address without its query: that may hold a key. Every field is chosen here
 * and none needs escaping, so the line is written by hand: by way of pino it cost a third of the whole request.
 */
export function requestLog(log: Logger): (request: Request, reply: Reply) => void {
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  if (!log.isLevelEnabled("info") || !stream) return () => {};
  const time = currentTime();
  return (request, reply) => {
    const { caller, legacyKey, keyProblem } = request;
    const ms = Math.round((performance.now() - request.begunMs) * 100) / 100;
    const organization = (caller?.key ?? legacyKey)?.organizationId;
    const key = caller?.prefix ?? legacyKey?.id;
    const refused = keyProblem ? `,"refused":"${keyProblem}"` : "";
    // The client went away before the end.
    const cutOff = reply.isDone ? "" : ',"cut_off":true';
    stream.write(
      `{"level":"info","time":"${time()}","method":"${request.method}","route":${text(request.route)},"status":${
        reply.isSent ? reply.statusCode : null
      },"ms":${ms},"request_id":"${request.id}","organization":${text(organization)},"key":${text(key)}${refused}${cutOff},"msg":"request"}\n`,
    );
  };
}

function text(value: string | null | undefined): string {
  return value ? `"${value}"` : "null";
}

/** Many requests end in the same millisecond, and to write a date takes as long as all the rest of the line. */
function currentTime(): () => string {
  let lastMs = 0;
  let last = "";
  return () => {
    const now = Date.now();
    if (now !== lastMs) {
      lastMs = now;
      last = new Date(now).toISOString();
    }
    return last;
  };
}
