import { Agent, DecoratorHandler, type Dispatcher, ProxyAgent, request as undiciRequest } from "undici";
import { PROXY_REFUSED } from "../api/response-errors.ts";
import { DbdepotError, isConnectFailure, networkError } from "../errors.ts";
import { type HttpRequest, type RawResponse, type Send, withTimeout } from "./http.ts";
import { type Environment, proxyFor } from "./proxy.ts";

/** HTTP for Node, through the proxies that are configured in the environment. */
export function nodeSend(env: Environment, timeoutMs: number): Send {
  const dispatchers = new Map<string, Dispatcher>();

  /**
   * A server may close an idle connection just when it is used again, and then the client cannot know whether the request
   * was processed. That is harmless for reads; every other request gets a new connection.
   */
  function dispatcherFor(proxy: URL | undefined, isRead: boolean): Dispatcher {
    const name = `${proxy?.href} ${isRead}`;
    const dispatcher = dispatchers.get(name) ?? createDispatcher(proxy, timeoutMs).compose(withoutPauses);
    dispatchers.set(name, dispatcher);
    return dispatcher;
  }

  const send = async (request: HttpRequest, signal: AbortSignal) => {
    const proxy = proxyFor(request.url, env);
    const isRead = request.method === "GET" || request.method === "HEAD";
    try {
      return await exchange(request, { signal, dispatcher: dispatcherFor(proxy, isRead), reset: !isRead });
    } catch (error) {
      throw proxy ? proxyError(proxy, request.url, error) : networkError(request.url.origin, error);
    }
  };
  return withTimeout(send, timeoutMs, (url) => whereOf(url, proxyFor(url, env)));
}

function whereOf(url: URL, proxy: URL | undefined): string {
  return proxy ? `${url.origin} (through the proxy ${proxy.host})` : url.origin;
}

function createDispatcher(proxy: URL | undefined, timeoutMs: number): Dispatcher {
  const connect = { timeout: timeoutMs };
  if (!proxy) return new Agent({ connect });
  // Plain HTTP is not tunnelled: many proxies allow CONNECT to port 443 only.
  return new ProxyAgent({ uri: proxy.href, proxyTunnel: false, proxyTls: connect, requestTls: connect });
}

async function exchange(
  { method, url, headers, body }: HttpRequest,
  options: { signal: AbortSignal; dispatcher: Dispatcher; reset: boolean },
): Promise<RawResponse> {
  const sent = undiciRequest(url, {
    ...options,
    method,
    headers: { accept: "*/*", ...headers },
    body: body ?? null,
    // withTimeout() enforces both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const response = await unlessAborted(sent, options.signal);
  // A body that fails while it is not being read must not end the process.
  response.body.on("error", () => {});
  return {
    status: response.statusCode,
    header: (name) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value.join(", ") : (value ?? null);
    },
    body: response.body,
    // Reads the rest of a small body, so that the connection can be reused.
    discard: () => void response.body.dump().catch(() => {}),
  };
}

/**
 * If a body has neither a length nor chunks and undici is paused when the connection closes, undici fails an assertion,
 * which would end the process. Such bodies are rare: they are buffered in memory instead of paused.
 */
function withoutPauses(dispatch: Dispatcher["dispatch"]): Dispatcher["dispatch"] {
  return (options, handler) => {
    const inner: Dispatcher.DispatchHandler = new DecoratorHandler(handler);
    let isUnframed = false;
    return dispatch(options, {
      onRequestStart: (...args) => inner.onRequestStart?.(...args),
      onRequestUpgrade: (...args) => inner.onRequestUpgrade?.(...args),
      onResponseStart: (controller, status, headers, ...rest) => {
        isUnframed = headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
        inner.onResponseStart?.(controller, status, headers, ...rest);
      },
      onResponseData: (controller, chunk) => {
        inner.onResponseData?.(controller, chunk);
        if (isUnframed && controller.paused) controller.resume();
      },
      onResponseEnd: (...args) => inner.onResponseEnd?.(...args),
      onResponseError: (...args) => inner.onResponseError?.(...args),
    });
  };
}

/** Needed because undici notices an abort only after it has connected. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

/** Behind a proxy, a failure to connect is always a failure to connect to the proxy. */
function proxyError(proxy: URL, url: URL, error: unknown): DbdepotError {
  const where = `the proxy ${proxy.host}`;
  const status = Number(/^Proxy .*\((\d{3})\)/.exec((error as Error).message)?.[1]);
  if (status) {
    const reason = status === 407 ? `: ${PROXY_REFUSED}` : "";
    return new DbdepotError("network", `${where} returned ${status}${reason}`, { status, retryable: status >= 500 });
  }
  return networkError(isConnectFailure(error) ? where : whereOf(url, proxy), error);
}
