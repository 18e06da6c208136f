import { once } from "node:events";
import { connect as connectPlain, isIP, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { DbdepotError } from "../errors.ts";
import { request } from "./http.ts";
import { type Environment, proxyAuthorization, proxyFor } from "./proxy.ts";

/** A way to a host, by a proxy where the environment names one. */
export interface Route {
  /** What stands in the request line: behind a proxy for plain HTTP, the whole address. */
  target: string;
  headers: Record<string, string>;
  /** With `onread`, bytes go to the caller's own memory where that can be; else they come as events. */
  connect(signal: AbortSignal, onread?: OnReadOpts): Promise<Socket>;
}

export function routeTo(url: URL, env: Environment): Route {
  const proxy = proxyFor(url, env);
  if (!proxy) {
    const target = `${url.pathname}${url.search}`;
    return { target, headers: {}, connect: (signal, onread) => connected(open(url, onread), url, signal) };
  }
  if (url.protocol === "http:") {
    const target = `${url.origin}${url.pathname}${url.search}`;
    const connect = (signal: AbortSignal, onread?: OnReadOpts) => connected(open(proxy, onread), proxy, signal);
    return { target, headers: proxyAuthorization(proxy), connect };
  }
  const target = `${url.pathname}${url.search}`;
  return { target, headers: {}, connect: (signal) => tunnel(url, proxy, signal) };
}

function open(url: URL, onread?: OnReadOpts, socket?: Socket): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isSecure = url.protocol === "https:";
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const reading = onread && { onread };
  if (!isSecure) return connectPlain({ host, port, noDelay: true, ...reading });
  const identity = isIP(host) ? {} : { servername: host };
  return connectTls({ host, port, ALPNProtocols: ["http/1.1"], ...identity, ...reading, ...(socket && { socket }) });
}

async function connected(socket: Socket, { protocol }: URL, signal: AbortSignal): Promise<Socket> {
  try {
    await once(socket, protocol === "https:" ? "secureConnect" : "connect", { signal });
    return socket;
  } catch (error) {
    // Whoever gave it up does not want to hear what becomes of it.
    socket.on("error", () => {}).destroy();
    throw error;
  }
}

/** A connection through the proxy, which sees the host's name and no more. */
async function tunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const authority = `${url.hostname}:${url.port || 443}`;
  const link = await connected(open(proxy), proxy, signal);
  const asking = request({
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...proxyAuthorization(proxy) },
    createConnection: () => link,
    signal,
  });
  asking.end();
  const [answer, socket] = (await once(asking, "connect", { signal })) as [{ statusCode: number }, Socket];
  if (answer.statusCode !== 200) {
    socket.destroy();
    const { statusCode: status } = answer;
    throw new DbdepotError("network", `the proxy ${proxy.host} answers ${status}`, {
      status,
      retryable: status >= 500,
    });
  }
  return connected(open(url, undefined, socket), url, signal);
}
