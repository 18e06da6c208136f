import { DbdepotError } from "./errors.ts";
import { refusal } from "./refusal.ts";
import { Patience, type RetryPolicy } from "./retry.ts";
import type { Incoming, Outgoing, Transport } from "./transport/transport.ts";

export interface ApiRequest {
  method?: Outgoing["method"];
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** The statuses that are no refusal. */
  expects?: readonly number[];
  /** False: a call that may have been done must not be sent a second time. */
  isRepeatable?: boolean;
}

export interface ApiAnswer {
  status: number;
  header(name: string): string | null;
  json<T>(): T;
}

export interface ApiOptions {
  baseUrl: string;
  key: string;
  userAgent: string | undefined;
  timeoutMs: number;
  policy: RetryPolicy;
  transport: () => Promise<Transport>;
}

/** Nothing was sent yet, or it was turned away at the door. */
const UNDONE_CODES = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
const UNDONE_STATUSES = [429, 503];

/** Calls the service, again and again where that may help. The only place that knows the key. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get policy(): RetryPolicy {
    return this.#options.policy;
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  transport(): Promise<Transport> {
    return this.#options.transport();
  }

  async call(request: ApiRequest): Promise<ApiAnswer> {
    const patience = new Patience(this.policy, request.signal);
    for (;;) {
      try {
        return await this.#once(request);
      } catch (error) {
        if (!(error instanceof DbdepotError) || (request.isRepeatable === false && !isUndone(error))) throw error;
        await patience.afterFailure(error);
      }
    }
  }

  /** For a file that comes from the service itself: the one transfer that shows the key. */
  async transfer(request: Omit<ApiRequest, "body" | "expects">): Promise<Incoming> {
    return (await this.transport()).transfer(this.#outgoing(request));
  }

  /** What a host that is not the service gets to see. */
  publicHeaders(): Record<string, string> {
    const { userAgent } = this.#options;
    return userAgent === undefined ? {} : { "user-agent": userAgent };
  }

  async #once(request: ApiRequest): Promise<ApiAnswer> {
    const { expects = [200] } = request;
    const answer = await (await this.transport()).call(this.#outgoing(request));
    const body = await answer.text();
    if (!expects.includes(answer.status)) throw refusal(answer, body);
    const value = answer.status === 200 ? parse(answer, body) : undefined;
    return { status: answer.status, header: (name) => answer.header(name), json: <T>() => value as T };
  }

  #outgoing({ method = "GET", path, query = {}, headers, body, signal }: ApiRequest): Outgoing {
    const { baseUrl, key, timeoutMs } = this.#options;
    const url = new URL(path.startsWith("/") ? `${baseUrl}${path}` : path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return {
      method,
      url,
      headers: {
        authorization: `Bearer ${key}`,
        ...this.publicHeaders(),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs,
      signal,
    };
  }
}

function isUndone({ code, status }: DbdepotError): boolean {
  return UNDONE_CODES.includes(code ?? "") || UNDONE_STATUSES.includes(status ?? 0);
}

function parse({ status, header }: Incoming, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    const requestId = header("x-request-id");
    throw new DbdepotError("server", "the answer is no JSON: is this the address of the service?", {
      status,
      requestId,
    });
  }
}
