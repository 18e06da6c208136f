import type { Api } from "./api.ts";
import { abortedError, DbdepotError } from "./errors.ts";
import { EventStreamParser, type StreamMessage } from "./event-stream-parser.ts";
import type { HttpResponse } from "./http/http.ts";
import { serviceError } from "./response-errors.ts";
import { pause, Retries } from "./retry.ts";

/** Between two connections, unless the service asks for another pause within these limits. */
const RECONNECT_MS = { default: 3000, minimum: 500, maximum: 60_000 };

export interface EventsOptions {
  /** The last event you have received. Without it, the first event is a `reset`. */
  lastEventId?: string | undefined;
  /** Ends the iteration with an error of the kind `aborted`. */
  signal?: AbortSignal | undefined;
}

/** An event of the service. */
export interface ServiceEvent {
  /** Null for `reset`. */
  id: string | null;
  /** Such as `build.published`, or `reset` if you may have missed events. New types may appear at any time. */
  type: string;
  /** When it happened. Null for `reset`. */
  timestamp: string | null;
  data: Record<string, unknown>;
}

/** Reads the event stream and reconnects when it breaks. Throws if the service refuses it or stays unreachable. */
export async function* events(api: Api, { lastEventId, signal }: EventsOptions): AsyncGenerator<ServiceEvent> {
  let parser = new EventStreamParser(lastEventId);
  // A broken stream is nothing that a person has to know about.
  const retries = new Retries({ ...api.retryPolicy, onRetry: undefined }, signal);
  for (;;) {
    try {
      // A new one, so that half an event of a broken connection is forgotten.
      parser = new EventStreamParser(parser.lastEventId, parser.retryMs);
      for await (const message of connect(api, parser, signal)) {
        retries.reset();
        yield parse(message);
      }
      // The service has ended the stream, usually because it restarts.
      await pause(reconnectMs(parser), signal);
    } catch (error) {
      if (!(error instanceof DbdepotError)) throw error;
      await retries.waitAfter(error);
    }
    if (signal?.aborted) throw abortedError();
  }
}

async function* connect(
  api: Api,
  parser: EventStreamParser,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamMessage> {
  const response = await api.fetchFromService({
    path: "/api/v2/events",
    headers: { accept: "text/event-stream", ...(parser.lastEventId && { "last-event-id": parser.lastEventId }) },
    signal,
  });
  if (response.status !== 200) throw serviceError(response, await response.text());
  requireEventStream(response);
  const decoder = new TextDecoder();
  for await (const chunk of response.chunks()) yield* parser.push(decoder.decode(chunk, { stream: true }));
}

/** A proxy may respond with a page of its own. */
function requireEventStream(response: HttpResponse): void {
  if (response.header("content-type")?.startsWith("text/event-stream")) return;
  response.discard();
  throw new DbdepotError("server", "the response is not an event stream: check the service's URL", {
    status: response.status,
    requestId: response.header("x-request-id"),
  });
}

function parse({ type, data }: StreamMessage): ServiceEvent {
  if (type === "reset") return { id: null, type, timestamp: null, data: {} };
  try {
    return JSON.parse(data);
  } catch {
    throw new DbdepotError("server", "the service sent an event that is not JSON");
  }
}

function reconnectMs({ retryMs = RECONNECT_MS.default }: EventStreamParser): number {
  return Math.min(RECONNECT_MS.maximum, Math.max(RECONNECT_MS.minimum, retryMs));
}
