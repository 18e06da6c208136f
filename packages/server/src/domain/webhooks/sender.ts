import { promises as dns, type LookupAddress } from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { VERSION } from "../../platform/version.ts";
import { isAllowedAddress, isAllowedPrivate } from "./addresses.ts";
import { contentOf, type HttpContent, KEPT_BYTES } from "./content.ts";
import { hostOf } from "./url.ts";

/** Receivers should respond first and work later, so this is enough. */
const TIMEOUT_MS = 10_000;
/** Only the status matters to us. Reading a little lets well-behaved receivers finish. */
const MAX_RESPONSE_BYTES = 64 * 1024;

export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

interface SendResult {
  /** Null if no response arrived. */
  httpStatus: number | null;
  /** Why no response arrived, without details of our network. */
  error: string | null;
  durationMs: number;
  request: HttpContent;
  /** Null if no response arrived. */
  response: HttpContent | null;
}

interface Arrived {
  status: number;
  content: HttpContent;
}

export interface Sender {
  /** Sends one request and never throws. Redirects are not followed. */
  send(request: WebhookRequest): Promise<SendResult>;
}

export interface SenderOptions {
  /** CIDRs of private networks that may be called. */
  privateNetworks: readonly string[];
  resolve?: (host: string) => Promise<LookupAddress[]>;
  timeoutMs?: number;
}

class NotAllowed extends Error {}

/**
 * Sends requests to URLs that customers chose. The host is resolved once per request, forbidden addresses are dropped, and
 * the connection goes to one of the others, so a name cannot change its address in between.
 */
export function createSender(options: SenderOptions): Sender {
  const { privateNetworks, resolve = resolveAll, timeoutMs = TIMEOUT_MS } = options;
  return {
    async send({ url: address, headers: own, body: text }) {
      const start = performance.now();
      const url = new URL(address);
      const body = Buffer.from(text);
      const headers = {
        host: url.host,
        ...own,
        "content-type": "application/json",
        "content-length": String(body.length),
        "user-agent": `dbdepot/${VERSION}`,
      };
      const request = contentOf(headers, body);
      const result = (arrived: Arrived | null, error: string | null) => ({
        httpStatus: arrived?.status ?? null,
        error,
        durationMs: Math.round(performance.now() - start),
        request,
        response: arrived?.content ?? null,
      });
      try {
        return result(await post(url, headers, body), null);
      } catch (error) {
        return result(null, describe(error, timeoutMs));
      }
    },
  };

  async function post(url: URL, headers: WebhookRequest["headers"], body: Buffer): Promise<Arrived> {
    const isPlain = url.protocol === "http:";
    const isAllowed = (address: string) =>
      isPlain ? isAllowedPrivate(address, privateNetworks) : isAllowedAddress(address, privateNetworks);
    const host = hostOf(url);
    // Node does not look up addresses.
    if (isIP(host) !== 0 && !isAllowed(host)) throw new NotAllowed();
    const signal = AbortSignal.timeout(timeoutMs);
    const lookup: LookupFunction = (name, options, callback) => {
      resolve(name).then(
        (found) => {
          const allowed = found.filter(({ address }) => isAllowed(address));
          const [first] = allowed;
          if (!first) callback(new NotAllowed(), []);
          else if (options.all) callback(null, allowed);
          else callback(null, first.address, first.family);
        },
        (error) => callback(error, []),
      );
    };
    const request = (isPlain ? http : https).request(url, {
      method: "POST",
      lookup,
      // A new connection without a proxy, so that the address that was checked is the one that is used.
      agent: false,
      signal,
      headers,
    });
    return responseTo(request, body);
  }
}

/** Resolves once the response has ended, or enough of it has been read. */
function responseTo(request: http.ClientRequest, body: Buffer): Promise<Arrived> {
  return new Promise((resolve, reject) => {
    let arrived: (() => Arrived) | undefined;
    // Once the status has arrived, it does not matter how the body ends.
    request.on("error", (error) => (arrived ? resolve(arrived()) : reject(error)));
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const end = () => ({
        status: response.statusCode ?? 0,
        content: contentOf(response.headers, Buffer.concat(chunks)),
      });
      arrived = end;
      response.on("data", (chunk: Buffer) => {
        // One byte more than what is kept shows that there was more.
        if (bytes <= KEPT_BYTES) chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_RESPONSE_BYTES) response.destroy();
      });
      response.on("error", () => {});
      response.on("close", () => resolve(end()));
    });
    request.end(body);
  });
}

function resolveAll(host: string): Promise<LookupAddress[]> {
  return dns.lookup(host, { all: true });
}

/** One message for all names that cannot be called, because differences would reveal which names exist in the vendor's network. */
const NOT_CALLABLE = "the host was not found, or has no address to which webhooks may be sent";

const ERRORS: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed before a response arrived",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ENOTFOUND: NOT_CALLABLE,
  EAI_AGAIN: NOT_CALLABLE,
  ETIMEDOUT: "connection timed out",
};

function describe(error: unknown, timeoutMs: number): string {
  if (error instanceof NotAllowed) return NOT_CALLABLE;
  const { name, code = "" } = error as NodeJS.ErrnoException;
  if (name === "AbortError" || name === "TimeoutError") return `no response within ${timeoutMs / 1000} s`;
  const cause = (error as AggregateError).errors?.[0] as NodeJS.ErrnoException | undefined;
  const known = ERRORS[code] ?? ERRORS[cause?.code ?? ""];
  if (known) return known;
  if (code.startsWith("HPE_")) return "the response is not valid HTTP";
  // Codes of TLS errors, such as CERT_HAS_EXPIRED, and other codes of Node contain no addresses.
  return code ? `request failed: ${code}` : "request failed";
}
