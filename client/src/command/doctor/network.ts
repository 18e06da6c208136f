import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { TLSSocket } from "node:tls";
import { inTime } from "@dbdepot/terminal/amounts";
import { networkError } from "../../errors.ts";
import { routeTo } from "../../transport/connection.ts";
import { nodeTransport } from "../../transport/node-transport.ts";
import { type Environment, proxyFor } from "../../transport/proxy.ts";
import { fail, note, ok, type Verdict } from "./verdict.ts";

/** Long enough for a slow network, short enough for somebody who waits. */
export const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
const CERTIFICATE_DAYS_MIN = 14;
const SKEW_NOTED_SECONDS = 60;
const SKEW_MAX_SECONDS = 300;

export function checkProxy(url: URL, env: Environment): Verdict {
  const proxy = proxyFor(url, env);
  return proxy
    ? ok(`requests go through ${proxy.host}, as the proxy variables say`)
    : ok("none is set for this address; requests go straight to it");
}

export async function checkName(url: URL, env: Environment): Promise<Verdict> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host)) return ok(`${host} is an address, there is no name to look up`);
  if (proxyFor(url, env)) return ok(`${host} is looked up by the proxy`);
  try {
    const found = await lookup(host, { all: true });
    return ok(`${host} is ${found.map(({ address }) => address).join(", ")}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fail(`${host} is not known (${code})`, "look for a typing error in the address, and at this machine's DNS");
  }
}

export async function checkConnection(url: URL, env: Environment): Promise<Verdict> {
  try {
    const socket = await routeTo(url, env).connect(AbortSignal.timeout(TIMEOUT_MS));
    const verdict = socket instanceof TLSSocket ? certificateVerdict(socket, url) : plainVerdict(url);
    socket.destroy();
    return verdict;
  } catch (error) {
    const hasTimedOut = (error as Error).name === "AbortError" || (error as Error).name === "TimeoutError";
    if (hasTimedOut) {
      return fail(`${url.origin} does not answer within ${inTime(TIMEOUT_MS / 1000)}`, "a firewall may be in the way");
    }
    const { message, code } = networkError(url.origin, error);
    const isCertificate = /CERT|SELF_SIGNED|SIGNATURE/.test(code ?? "");
    return fail(
      message,
      isCertificate
        ? "if a proxy or a private authority issues certificates here, name its file in NODE_EXTRA_CA_CERTS"
        : "look at the address and its port, at a firewall, and at the proxy variables",
    );
  }
}

function certificateVerdict(socket: TLSSocket, url: URL): Verdict {
  const daysLeft = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
  const told = `${url.host} speaks ${socket.getProtocol()}; its certificate is good for ${daysLeft} more days`;
  return daysLeft < CERTIFICATE_DAYS_MIN ? note(`${told}: your vendor should renew it`) : ok(told);
}

function plainVerdict({ host, hostname }: URL): Verdict {
  if (/^(localhost|127\..*|\[::1\])$/.test(hostname)) return ok(`${host} answers, without TLS, on this machine`);
  return note(`${host} answers, without TLS: whoever is in between can read the key. Use https:// if there is one`);
}

export async function checkClock(url: URL, env: Environment): Promise<Verdict> {
  const answer = await nodeTransport(env).call({
    method: "GET",
    url,
    headers: {},
    timeoutMs: TIMEOUT_MS,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const serviceMs = Date.parse(answer.header("date") ?? "");
  answer.discard();
  if (Number.isNaN(serviceMs)) return note("the service does not tell its time");
  const skewSeconds = Math.round((Date.now() - serviceMs) / 1000);
  const off = `this machine's clock is ${inTime(Math.abs(skewSeconds))} ${skewSeconds > 0 ? "ahead of" : "behind"} the service's`;
  if (Math.abs(skewSeconds) > SKEW_MAX_SECONDS) return fail(off, "set it, and let it be set by NTP");
  return Math.abs(skewSeconds) > SKEW_NOTED_SECONDS ? note(off) : ok("agrees with the service's");
}
