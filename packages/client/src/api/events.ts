import { createParser } from "eventsource-parser";
import { abortedError, DbdepotError } from "../errors.ts";
import type { HttpResponse } from "../http/http.ts";
import type { Api } from "./api.ts";
import { serviceError } from "./response-errors.ts";
import { pause, Retries } from "./retry.ts";

/** Far larger than any event. Limits the memory that a response of another kind can use. */
const MESSAGE_MAX_LENGTH = 1024 * 1024;

/** The pause between two connections, unless the service asks for another one within these limits. */
const RECONNECT_MS = { default: 3000, minimum: 500, maximum: 60_000 };

export interface EventsOptions {
  /** The last event you have received. Without it, the first event is a `reset`. */
  lastEventId?: string | undefined;
  /** Ends the iteration with an error of the kind `aborted`. */
  signal?: AbortSignal | undefined;
}

/** An event from the service's event stream. */
export interface ServiceEvent {
  /** Null for `reset`. */
  id: string | null;
  /** For example `build.published`, or `reset` if you may have missed events. New types may appear at any time. */
  type: string;
  /** When it happened. Null for `reset`. */
  timestamp: string | null;
  data: Record<string, unknown>;
}

/** A message of the stream. Declared here, because users of the library do not install the parser. */
interface Message {
  event?: string | undefined;
  data: string;
}

/** The state that a new connection takes over from the one before. */
export interface StreamState {
  /** Sent as `Last-Event-ID` after a reconnect. */
  lastEventId?: string | undefined;
  /** How long the service asks clients to wait before they reconnect. */
  retryMs?: number | undefined;
}

/** Reads the event stream and reconnects when it breaks. Throws if the service refuses it or stays unreachable. */
export async function* events(api: Api, { lastEventId, signal }: EventsOptions): AsyncGenerator<ServiceEvent> {
  const state: StreamState = { lastEventId };
  // Broken streams are normal, so retries are not reported.
  const retries = new Retries({ ...api.retryPolicy, onRetry: undefined }, signal);
  for (;;) {
    try {
      for await (const message of connect(api, state, signal)) {
        retries.reset();
        yield eventOf(message);
      }
      // The service has ended the stream, usually because it restarts.
      await pause(reconnectMs(state), signal);
    } catch (error) {
      if (!(error instanceof DbdepotError)) throw error;
      await retries.waitAfter(error);
    }
    if (signal?.aborted) throw abortedError();
  }
}

async function* connect(api: Api, state: StreamState, signal: AbortSignal | undefined): AsyncGenerator<Message> {
  const response = await api.fetchFromService({
    path: "/api/v2/events",
    headers: { accept: "text/event-stream", ...(state.lastEventId && { "last-event-id": state.lastEventId }) },
    signal,
  });
  if (response.status !== 200) throw serviceError(response, await response.text());
  requireEventStream(response);
  const decoder = new TextDecoder();
  const parse = messageParser(state);
  for await (const chunk of response.chunks()) yield* parse(decoder.decode(chunk, { stream: true }));
}

/**
 * Returns a function that takes the next part of a stream's text, which may end anywhere, and returns the complete
 * messages.
 */
export function messageParser(state: StreamState): (text: string) => Message[] {
  let messages: Message[] = [];
  const parser = createParser({
    maxBufferSize: MESSAGE_MAX_LENGTH,
    onId: (id) => {
      state.lastEventId = id;
    },
    onRetry: (ms) => {
      state.retryMs = ms;
    },
    onEvent: (message) => messages.push(message),
    // Other errors are about fields that the standard says to ignore.
    onError: ({ type }) => {
      if (type !== "max-buffer-size-exceeded") return;
      throw new DbdepotError("server", "the service sent an event that is too large");
    },
  });
  return (text) => {
    messages = [];
    parser.feed(text);
    return messages;
  };
}

/** A proxy may respond with its own page. */
function requireEventStream(response: HttpResponse): void {
  if (response.header("content-type")?.startsWith("text/event-stream")) return;
  response.discard();
  throw new DbdepotError("server", "the response is not an event stream: check the service's URL", {
    status: response.status,
    requestId: response.header("x-request-id"),
  });
}

function eventOf({ event, data }: Message): ServiceEvent {
  if (event === "reset") return { id: null, type: event, timestamp: null, data: {} };
  try {
    return JSON.parse(data);
  } catch {
    throw new DbdepotError("server", "the service sent an event that is not JSON");
  }
}

function reconnectMs({ retryMs = RECONNECT_MS.default }: StreamState): number {
  return Math.min(RECONNECT_MS.maximum, Math.max(RECONNECT_MS.minimum, retryMs));
}
