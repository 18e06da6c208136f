import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { formatSeconds } from "@dbdepot/terminal/format";
import { isTlsFailure, networkError } from "../../errors.ts";
import type { HttpResponse } from "../../http/http.ts";
import { type Environment, proxyFor } from "../../http/proxy.ts";
import { nodeSend } from "../../http/undici.ts";
import { fail, note, ok, type Verdict } from "./verdict.ts";

/** Long enough for a slow network, short enough for someone who is waiting. */
export const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
const CERTIFICATE_DAYS_MIN = 14;
const SKEW_NOTE_SECONDS = 60;
const SKEW_MAX_SECONDS = 300;

export function checkProxy(url: URL, env: Environment): Verdict {
  const proxy = proxyFor(url, env);
  return proxy ? ok(`requests go through ${proxy.host}`) : ok("none configured for this URL");
}

export async function checkName(url: URL, env: Environment): Promise<Verdict> {
  const host = hostOf(url);
  if (isIP(host)) return ok(`not needed: ${host} is an IP address`);
  if (proxyFor(url, env)) return ok(`not needed: the proxy resolves ${host}`);
  try {
    const found = await lookup(host, { all: true });
    return ok(`${host} resolves to ${found.map(({ address }) => address).join(", ")}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fail(`cannot resolve ${host} (${code})`, "check the URL for typos, and this machine's DNS");
  }
}

export async function checkConnection(url: URL, env: Environment): Promise<Verdict> {
  try {
    const response = await get(url, env);
    response.discard();
    if (url.protocol === "http:") return plainVerdict(url);
    if (proxyFor(url, env)) return ok(`${url.host} responds through the proxy, with a valid certificate`);
    return await certificateVerdict(url);
  } catch (error) {
    const { kind, message, code } = networkError(url.origin, error);
    if (kind === "timeout") return fail(message, "check whether a firewall blocks the connection");
    return fail(message, connectionAdvice(code, proxyFor(url, env) !== undefined));
  }
}

function connectionAdvice(code: string | null, isProxied: boolean): string {
  if (/CERT|SELF_SIGNED|SIGNATURE/.test(code ?? "")) {
    return "if a proxy or a private authority issues certificates here, set NODE_EXTRA_CA_CERTS to a file with its certificate";
  }
  if (isTlsFailure(code)) return "check the port, and whether the URL should start with http://";
  return isProxied
    ? "check that the proxy is running and that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are right"
    : "check the URL and its port, and the firewall";
}

async function certificateVerdict(url: URL): Promise<Verdict> {
  const socket = await secureConnection(url);
  const daysLeft = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
  const detail = `${url.host} uses ${socket.getProtocol()}; its certificate expires in ${daysLeft} days`;
  socket.destroy();
  return daysLeft < CERTIFICATE_DAYS_MIN ? note(`${detail}: ask your vendor to renew it`) : ok(detail);
}

async function secureConnection(url: URL): Promise<TLSSocket> {
  const host = hostOf(url);
  const socket = connect({ host, port: Number(url.port) || 443, ...(!isIP(host) && { servername: host }) });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return socket;
  } catch (error) {
    socket.on("error", () => {}).destroy();
    throw error;
  }
}

function plainVerdict({ host, hostname }: URL): Verdict {
  if (/^(localhost|127\..*|\[::1\])$/.test(hostname)) return ok(`${host} responds, without TLS, on this machine`);
  return note(`${host} responds, but without TLS: anyone on the network can read the key. Use https:// if available`);
}

export async function checkClock(url: URL, env: Environment): Promise<Verdict> {
  const response = await get(url, env);
  response.discard();
  const serviceMs = Date.parse(response.header("date") ?? "");
  if (Number.isNaN(serviceMs)) return note("not checked: the service does not send its time");
  const skewSeconds = Math.round((Date.now() - serviceMs) / 1000);
  const detail = `this machine's clock is ${formatSeconds(Math.abs(skewSeconds))} ${skewSeconds > 0 ? "ahead of" : "behind"} the service's`;
  if (Math.abs(skewSeconds) > SKEW_MAX_SECONDS) return fail(detail, "set the clock, and keep it synchronized with NTP");
  return Math.abs(skewSeconds) > SKEW_NOTE_SECONDS ? note(detail) : ok("in sync with the service");
}

function get(url: URL, env: Environment): Promise<HttpResponse> {
  return nodeSend(env, TIMEOUT_MS)({ method: "GET", url, headers: {}, signal: undefined });
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}
