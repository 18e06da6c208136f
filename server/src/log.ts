import { type DestinationStream, type Logger, pino } from "pino";
import { LogStream } from "./log-stream.ts";

/**
 * JSON lines on standard output, for `serve`. What is logged is chosen field by field where it is
 * logged; the paths below are the second lock on the same door.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ["*.authorization", "*.apikey", "*.key_secret", 'req.headers["x-api-key"]', "err.config", "err.query"],
    },
    destination ?? new LogStream(1),
  );
}
