import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
// The global of that name is looked up anew each time: 0.3 µs, twice a request.
import { performance } from "node:perf_hooks";
import type { Caller } from "../keys/authenticate.ts";
import type { KeyProblem } from "../keys/check.ts";
import type { LegacyKey } from "../keys/legacy-key.ts";
import type { Target } from "./target.ts";

/** The first lines of a request, which have no body or one that is still to be read. */
export interface Head {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
  /** As they came, names and values in turn; left out where no name came twice. */
  rawHeaders?: string[];
}

/** One request, as it came, and what was found out about it on its way. */
export class Request {
  readonly #head: Head;
  readonly #incoming: IncomingMessage | undefined;
  readonly id: string;
  readonly method: string;
  readonly target: Target;
  /** Where it came from: behind trusted proxies, what they say. */
  readonly address: string;
  readonly begunMs = performance.now();
  /** The address as its route has it, like `/things/:id`; undefined where there is nothing. */
  route: string | undefined;
  params: Record<string, string> = {};
  /** As the route's schema has it; undefined where there is none. */
  body: unknown;
  /** Whose request it is, once the key has opened the door, and when that was. */
  caller: Caller | undefined;
  legacyKey: LegacyKey | undefined;
  arrived: Date | undefined;
  /** For the log: why the key was refused. */
  keyProblem: KeyProblem | undefined;

  /** `incoming` is what a body is read from; without it there is none. */
  constructor(head: Head, target: Target, id: string, address: string, incoming?: IncomingMessage) {
    this.#head = head;
    this.target = target;
    this.id = id;
    this.method = head.method ?? "";
    this.address = address;
    this.#incoming = incoming;
  }

  get path(): string {
    return this.target.path;
  }

  get query(): Target["query"] {
    return this.target.query;
  }

  get headers(): IncomingHttpHeaders {
    return this.#head.headers;
  }

  /** Whether the header is there more than once, of which `headers` may know nothing. */
  isRepeated(name: string): boolean {
    const { rawHeaders = [] } = this.#head;
    let count = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (rawHeaders[i]?.toLowerCase() === name) count += 1;
    }
    return count > 1;
  }

  /** For those who read the body. */
  get incoming(): IncomingMessage {
    // Only GET and HEAD come without one, and nobody reads their bodies.
    if (!this.#incoming) throw new Error("a request without a body was to be read");
    return this.#incoming;
  }

  /** Whether the client has sent all of its body. */
  get isComplete(): boolean {
    return this.#incoming?.complete ?? true;
  }

  /** Whether the client went away in the middle of its body. */
  get isBrokenOff(): boolean {
    return !this.isComplete && this.#incoming?.destroyed === true;
  }
}
