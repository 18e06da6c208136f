import { DbdepotError, isConnectFailure } from "../errors.ts";
import { decode, type HttpRequest, type HttpResponse, type Send } from "../http/http.ts";
import { serviceError } from "./response-errors.ts";
import { Retries, type RetryPolicy } from "./retry.ts";

export interface ApiRequest {
  method?: HttpRequest["method"];
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Statuses that count as success (default: 200). */
  expects?: readonly number[];
  /** False if the request must not be repeated once the service may have processed it. */
  isRepeatable?: boolean;
}

export interface ApiResponse {
  status: number;
  header(name: string): string | null;
  /** The body as it was sent. */
  bytes: Uint8Array;
  json<T>(): T;
}

export interface ApiOptions {
  baseUrl: string;
  /** A function if the key can change: it is called for every request. */
  key: string | (() => Promise<string>);
  userAgent: string | undefined;
  retryPolicy: RetryPolicy;
  /** Loads the HTTP client on the first call, because undici is imported only in Node. */
  send: () => Promise<Send>;
}

const UNPROCESSED_STATUSES = [429, 503];

/** Calls the service and retries temporary failures. The only class that has the key. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get retryPolicy(): RetryPolicy {
    return this.#options.retryPolicy;
  }

  async call(request: ApiRequest): Promise<ApiResponse> {
    const retries = new Retries(this.retryPolicy, request.signal);
    for (;;) {
      try {
        return await this.#callOnce(request);
      } catch (error) {
        if (!(error instanceof DbdepotError) || (request.isRepeatable === false && mayBeProcessed(error))) throw error;
        await retries.waitAfter(error);
      }
    }
  }

  /** Fetches a file from the service itself, with the key. */
  async fetchFromService(request: Omit<ApiRequest, "body" | "expects">): Promise<HttpResponse> {
    const send = await this.#options.send();
    return send(await this.#withKey(request));
  }

  /** Fetches a file from any other host, without the key. */
  async fetchFromStorage(
    url: URL,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const send = await this.#options.send();
    return send({ method: "GET", url, headers: { ...this.#publicHeaders(), ...headers }, signal });
  }

  async #callOnce(request: ApiRequest): Promise<ApiResponse> {
    const { expects = [200] } = request;
    const send = await this.#options.send();
    const response = await send(await this.#withKey(request));
    const bytes = await response.bytes();
    const body = decode(bytes);
    if (!expects.includes(response.status)) throw serviceError(response, body, this.#options.baseUrl);
    const value = response.status === 200 ? parseJson(response, body) : undefined;
    return { status: response.status, header: (name) => response.header(name), bytes, json: <T>() => value as T };
  }

  #publicHeaders(): Record<string, string> {
    const { userAgent } = this.#options;
    return userAgent === undefined ? {} : { "user-agent": userAgent };
  }

  async #withKey({ method = "GET", path, query = {}, headers, body, signal }: ApiRequest): Promise<HttpRequest> {
    const { baseUrl } = this.#options;
    const key = typeof this.#options.key === "string" ? this.#options.key : await this.#options.key();
    const url = new URL(`${baseUrl}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return {
      method,
      url,
      headers: {
        authorization: `Bearer ${key}`,
        ...this.#publicHeaders(),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    };
  }
}

function mayBeProcessed(error: DbdepotError): boolean {
  return !isConnectFailure(error) && !UNPROCESSED_STATUSES.includes(error.status ?? 0);
}

function parseJson(response: HttpResponse, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new DbdepotError("server", "the response is not JSON: check the service's URL", {
      status: response.status,
      requestId: response.header("x-request-id"),
    });
  }
}
