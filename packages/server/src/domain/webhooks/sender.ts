import http from "node:http";
import https from "node:https";
import { VERSION } from "../../platform/version.ts";
import { QUIET } from "../backup/quiet.ts";
import { describeFailure, guardedLookup, type Resolve } from "./connection.ts";
import { contentOf, type HttpContent, KEPT_BYTES } from "./content.ts";

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
  /** Whether nothing may be sent, because this is a copy. */
  isQuiet(): Promise<boolean>;
  /** CIDRs of private networks that may be called. */
  privateNetworks: readonly string[];
  resolve?: Resolve;
  timeoutMs?: number;
}

/**
 * Sends requests to URLs that customers chose. The host is resolved once per request, forbidden addresses are dropped, and
 * the connection goes to one of the others, so a name cannot change its address in between.
 */
export function createSender(options: SenderOptions): Sender {
  const { isQuiet, privateNetworks, resolve, timeoutMs = TIMEOUT_MS } = options;
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
        if (await isQuiet()) return result(null, QUIET);
        return result(await post(url, headers, body), null);
      } catch (error) {
        return result(null, describeFailure(error, timeoutMs));
      }
    },
  };

  async function post(url: URL, headers: WebhookRequest["headers"], body: Buffer): Promise<Arrived> {
    const signal = AbortSignal.timeout(timeoutMs);
    const lookup = guardedLookup(url, privateNetworks, resolve);
    const request = (url.protocol === "http:" ? http : https).request(url, {
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
