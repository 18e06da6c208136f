import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type ParsedUrlQuery, parse } from "node:querystring";
import type { Caller } from "../keys/authenticate.ts";
import type { KeyProblem } from "../keys/check.ts";
import type { LegacyKey } from "../keys/legacy-key.ts";

/** One request, as it came, and what was found out about it on its way. */
export class Request {
  readonly raw: IncomingMessage;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** A name that is there twice has a list of values. */
  readonly query: ParsedUrlQuery;
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

  constructor(raw: IncomingMessage, id: string, address: string) {
    const url = raw.url ?? "";
    const at = url.indexOf("?");
    this.raw = raw;
    this.id = id;
    this.method = raw.method ?? "";
    this.path = at < 0 ? url : url.slice(0, at);
    this.query = at < 0 ? {} : parse(url.slice(at + 1));
    this.address = address;
  }

  get headers(): IncomingHttpHeaders {
    return this.raw.headers;
  }
}
