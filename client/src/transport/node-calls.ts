import type { Agent, IncomingMessage } from "node:http";
import { request as requestSecure, Agent as SecureAgent } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { abortedError, cutOffError, networkError, timeoutError } from "../errors.ts";
import { routeTo } from "./connection.ts";
import { Agent as PlainAgent, request as requestPlain } from "./http.ts";
import type { Environment } from "./proxy.ts";
import { type Incoming, type Outgoing, pourBytes, type Sink } from "./transport.ts";

type ConnectionReady = (error: Error | null, socket: Duplex) => void;

/** Small calls to the service: their connections are kept for the next ones, and hold up no process that is done. */
export class NodeCalls {
  readonly #env: Environment;
  readonly #agents: Record<string, Agent> = {};

  constructor(env: Environment) {
    this.#env = env;
  }

  call(outgoing: Outgoing): Promise<Incoming> {
    const { method, url, headers, body, timeoutMs, signal } = outgoing;
    const length = body === undefined ? undefined : { "content-length": Buffer.byteLength(body) };
    const where = url.origin;
    const route = routeTo(url, this.#env);
    const isSecure = url.protocol === "https:";
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortedError());
      const sent = (isSecure ? requestSecure : requestPlain)({
        method,
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port || (isSecure ? 443 : 80),
        path: route.target,
        headers: { host: url.host, ...headers, ...route.headers, ...length },
        agent: this.#agentFor(url, timeoutMs, method === "GET"),
      });
      const onAbort = () => sent.destroy(abortedError());
      signal?.addEventListener("abort", onAbort, { once: true });
      const timer = setTimeout(() => sent.destroy(timeoutError(where, timeoutMs)), timeoutMs);
      sent.on("response", (response) => {
        clearTimeout(timer);
        resolve(new CallIncoming(response, outgoing));
      });
      sent.on("error", (error) => reject(networkError(where, error)));
      sent.on("close", () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      });
      sent.end(body);
    });
  }

  /** A kept connection may be closed at the very moment it is used again: then nobody knows what became of the call. */
  #agentFor(url: URL, timeoutMs: number, keepAlive: boolean): Agent {
    const name = `${url.origin} ${keepAlive}`;
    const known = this.#agents[name];
    if (known) return known;
    const agent = url.protocol === "https:" ? new SecureAgent({ keepAlive }) : new PlainAgent({ keepAlive });
    agent.createConnection = (_options: unknown, ready?: ConnectionReady) => {
      this.#connect(url, timeoutMs).then(
        (socket) => ready?.(null, socket),
        // Where there is an error, nobody looks at the socket.
        (error) => ready?.(error, undefined as unknown as Duplex),
      );
      return undefined;
    };
    this.#agents[name] = agent;
    return agent;
  }

  /** Given up in time: else a host that does not answer would hold up a process that has nothing more to do. */
  async #connect(url: URL, timeoutMs: number): Promise<Socket> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), timeoutMs);
    try {
      return await routeTo(url, this.#env).connect(giveUp.signal);
    } catch (error) {
      throw giveUp.signal.aborted ? timeoutError(url.origin, timeoutMs) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

class CallIncoming implements Incoming {
  readonly status: number;
  readonly #response: IncomingMessage;
  readonly #where: string;

  constructor(response: IncomingMessage, { url, timeoutMs }: Outgoing) {
    this.status = response.statusCode ?? 0;
    this.#response = response;
    this.#where = url.origin;
    response.on("error", () => {});
    response.setTimeout(timeoutMs, () => response.destroy(timeoutError(this.#where, timeoutMs)));
  }

  header(name: string): string | null {
    const value = this.#response.headers[name];
    return Array.isArray(value) ? value.join(", ") : (value ?? null);
  }

  async text(): Promise<string> {
    const pieces: Buffer[] = [];
    for await (const piece of this.#pieces()) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  async pour(sink: Sink): Promise<void> {
    for await (const piece of this.#pieces()) await pourBytes(piece, sink);
  }

  /** Read to its end, so that the connection can be used again. */
  discard(): void {
    this.#response.resume();
  }

  async *#pieces(): AsyncGenerator<Buffer> {
    try {
      yield* this.#response;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw code === "ECONNRESET" ? cutOffError(this.#where) : networkError(this.#where, error);
    }
  }
}
