import { type DestinationStream, type Logger, pino } from "pino";

/** Just below the 16 KiB that pino writes in one call. */
const BUFFER_BYTES = 15 * 1024;
const FLUSH_INTERVAL_MS = 500;
/** When nothing reads the log, lines beyond this are dropped instead of filling our memory. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;

/** Shared by all logs of the process, because each stream listens for the end of the process. */
let standardOutput: LogStream | undefined;

/** JSON lines on standard output, for `serve`. pino writes what it has buffered when the process exits or crashes. */
export function createLog(level: string): Logger {
  standardOutput ??= openStandardOutput();
  return logTo(standardOutput, level);
}

function openStandardOutput(): LogStream {
  const stream = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: MAX_PENDING_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  surviveWriteErrors(stream);
  reportDroppedLines(stream);
  return stream;
}

/** Callers choose each field they log. Errors of libraries may contain requests and queries, which are redacted. */
export function logTo(destination: DestinationStream, level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ["err.config", "err.query"],
    },
    destination,
  );
}

type LogStream = ReturnType<typeof pino.destination>;

/**
 * A full disk must not stop the service: pino tries again with the next write. A process that exits must not hang: pino's
 * last, synchronous flush repeats a failing write forever, so we flush before it and skip it if the log is broken.
 */
function surviveWriteErrors(stream: LogStream): void {
  let isFailing = false;
  stream.on("error", () => {
    isFailing = true;
  });
  stream.on("write", () => {
    isFailing = false;
  });
  process.once("beforeExit", () => stream.flush());
  process.prependListener("exit", () => {
    if (isFailing) stream.destroy();
  });
}

function reportDroppedLines(stream: LogStream): void {
  const log = logTo(stream, "warn");
  let lines = 0;
  stream.on("drop", () => {
    lines += 1;
  });
  stream.on("drain", () => {
    if (lines > 0) log.warn({ lines }, "log lines were dropped because the reader of the log is too slow");
    lines = 0;
  });
}
