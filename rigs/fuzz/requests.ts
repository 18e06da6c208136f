import type { Route } from "../../packages/server/src/http/route.ts";
import { ROUTES } from "../../packages/server/src/http/routes.ts";
import type { Random } from "../harness/random.ts";
import type { Caller, Callers } from "./callers.ts";
import type { Pool } from "./pool.ts";
import { anyJson, type Care, hostileText, Values } from "./values.ts";

export interface FuzzRequest {
  /** The name of the route in the report. */
  route: string;
  caller: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** Ends the session that later requests need. */
const SIGN_OUT = "DELETE /api/console/session";
/** An invalid key for free text, which is stored and shown again. Logs must not contain it. */
export const CANARY = "dbd_CANARY00_0123456789abcdefghijklmnopqrstuv000000";

/** Creates requests from the route table: most have one or no flaw, some are random. */
export class Requests {
  readonly #random: Random;
  readonly #callers: Callers;
  readonly #pool: Pool;
  readonly #values: Values;

  constructor(random: Random, callers: Callers, pool: Pool) {
    this.#random = random;
    this.#callers = callers;
    this.#pool = pool;
    this.#values = new Values(random, (name) => pool.values(name));
  }

  static routes(): string[] {
    return ROUTES.map(({ method, url }) => `${method} ${url}`);
  }

  next(): FuzzRequest {
    const random = this.#random;
    const route = random.pick(ROUTES);
    const name = `${route.method} ${route.url}`;
    const caller = name === SIGN_OUT ? { name: "nobody", headers: {} } : this.#callers.pick(random, route);
    const care = this.#values.care();
    const method = random.chance(0.97)
      ? route.method
      : random.pick(["HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "QUERY"]);
    const path = this.#path(route, caller, care);
    const body = method === "GET" || method === "HEAD" ? undefined : this.#body(route, path, care);
    const headers = { ...this.#headers(route, body), ...caller.headers };
    return this.#misplaceSecret({ route: name, caller: caller.name, method, path, headers, body });
  }

  #path({ url, query }: Route, { apikey }: Caller, care: Care): string {
    const random = this.#random;
    const path = url
      .replace(/:([a-z]+)/g, (_, name) => encode(this.#parameter(url, name)))
      .replace("*", () => encode(hostileText(random)));
    const values = query ? this.#values.of(query, care) : {};
    const pairs = Object.entries(Object(values)).map(([name, value]) => `${encode(name)}=${encode(textOf(value))}`);
    if (apikey !== undefined) pairs.push(`apikey=${encode(apikey)}`);
    if (random.chance(0.05))
      pairs.push(random.pick(["%", "a=%zz", "=", "a[]=1", "a=1&a=2", "__proto__=1", `p=${"x".repeat(9000)}`]));
    return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
  }

  #parameter(url: string, name: string): string {
    const random = this.#random;
    const known = name === "id" ? this.#pool.ids(url) : this.#pool.values(name);
    if (known.length > 0 && random.chance(0.85)) return random.pick(known);
    return random.chance(0.5) ? random.uuid() : hostileText(random) || "-";
  }

  #body(route: Route, path: string, care: Care): Buffer | undefined {
    const random = this.#random;
    if (route.isBodyRaw) return this.#pool.file(random, path);
    if (!route.body) return random.chance(0.1) ? random.bytes(random.integer(0, 2000)) : undefined;
    if (route.isBodyOptional && random.chance(0.3)) return undefined;
    if (random.chance(0.03)) return this.#brokenJson();
    const values = this.#values.of(route.body, care);
    if (!route.isForm) return Buffer.from(JSON.stringify(values) ?? "");
    const pairs = Object.entries(Object(values)).map(([name, value]) => `${encode(name)}=${encode(textOf(value))}`);
    return Buffer.from(pairs.join("&"));
  }

  #brokenJson(): Buffer {
    const random = this.#random;
    return Buffer.from(
      random.pick([
        "{",
        '{"name":',
        "[".repeat(50_000),
        '{"a":'.repeat(20_000),
        '{"__proto__":{"name":"x"}}',
        '{"constructor":{"prototype":{"x":1}}}',
        '{"name":"a","name":"b"}',
        '{"name":1e999999}',
        `{"name":"${"x".repeat(2_000_000)}"}`,
        "\ufeff{}",
        "\0",
        JSON.stringify(anyJson(random)),
      ]),
    );
  }

  #headers({ isForm }: Route, body: Buffer | undefined): Record<string, string> {
    const random = this.#random;
    const headers: Record<string, string> = { "x-forwarded-for": this.#address() };
    if (body) {
      const usual = random.chance(0.93);
      const form = "application/x-www-form-urlencoded";
      const types = ["text/plain", "application/json; charset=utf-16", form, ";;", ""];
      headers["content-type"] = usual ? (isForm ? form : "application/json") : random.pick(types);
    }
    for (const [name, values] of Object.entries(HEADERS)) {
      if (!random.chance(0.08)) continue;
      headers[name] = random.chance(0.7) ? random.pick(values) : headerText(hostileText(random));
    }
    return headers;
  }

  /**
   * The server trusts this machine as a proxy, so limits per address apply to the address in the header. Only a
   * thousand addresses are used, because the server keeps a counter in memory for each.
   */
  #address(): string {
    const random = this.#random;
    if (random.chance(0.05))
      return random.pick(["", "unknown", "1.2.3.4, ::1", "999.1.1.1", "[::1]:80", "x".repeat(3000)]);
    return `198.18.${random.integer(0, 3)}.${random.integer(0, 249)}`;
  }

  /** Sends a key where it does not belong, as people do by mistake. */
  #misplaceSecret(request: FuzzRequest): FuzzRequest {
    const random = this.#random;
    if (!random.chance(0.1)) return request;
    const secret = random.pick(this.#callers.keys());
    const { path, headers, body } = request;
    const separator = path.includes("?") ? "&" : "?";
    return random.pick<() => FuzzRequest>([
      () => ({ ...request, path: `${path}${separator}apikey=${encode(secret)}` }),
      () => ({ ...request, path: `${path}${separator}${random.pick(MISTAKEN_PARAMETERS)}=${encode(secret)}` }),
      () => ({ ...request, path: path.replace(/[^/?]+(?=\?|$)/, encode(secret)) }),
      () => ({ ...request, headers: { ...headers, [random.pick(MISTAKEN_HEADERS)]: headerText(secret) } }),
      () => ({ ...request, body: body && Buffer.from(String(body).replace(/"[^"]*"(?=[,}])/, `"${CANARY}"`)) }),
    ])();
  }
}

const MISTAKEN_PARAMETERS = ["id", "format", "key", "org", "cursor", "before", "build", "access_token", "subject"];
const MISTAKEN_HEADERS = [
  "user-agent",
  "referer",
  "x-request-id",
  "traceparent",
  "idempotency-key",
  "if-none-match",
  "x-api-key",
  "origin",
];

const HEADERS: Record<string, readonly string[]> = {
  range: [
    "bytes=0-",
    "bytes=0-0",
    "bytes=-1",
    "bytes=5-2",
    "bytes=0-0,2-3",
    `bytes=${"0-1,".repeat(1000)}`,
    "bytes=99999999999999999999-",
    "lines=1-2",
  ],
  "if-none-match": ["*", '"x"', 'W/"x"', '"', ",,,", '"a", "b"'],
  "if-match": ["*", '"x"', ""],
  "if-range": ['"x"', "Tue, 15 Nov 1994 12:45:26 GMT", "never"],
  "if-modified-since": ["Tue, 15 Nov 2094 12:45:26 GMT", "yesterday"],
  "if-unmodified-since": ["Tue, 15 Nov 1994 12:45:26 GMT", "yesterday"],
  traceparent: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-0-0-0", "ff-", "00-".repeat(500)],
  "idempotency-key": ["one", "two", "x".repeat(300)],
  accept: ["text/csv", "application/json", "*/*;q=2", ",,"],
  "accept-encoding": ["gzip", "br;q=x", "identity;q=0, *;q=0"],
  cookie: ["dbdepot_session=", "a=b; dbdepot_session=x; dbdepot_session=y", ";".repeat(1000)],
  origin: ["null", "https://evil.example"],
  "content-encoding": ["gzip", "deflate, gzip"],
  "x-http-method-override": ["DELETE"],
  "x-forwarded-host": ["evil.example"],
  "x-forwarded-proto": ["https", "javascript"],
  upgrade: ["websocket", "h2c"],
};

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Works like encodeURIComponent, but lets bad percent-encoding through and accepts lone surrogates. */
function encode(text: string): string {
  return text.startsWith("%") ? text : encodeURIComponent(text.toWellFormed());
}

/** node:http rejects other characters; raw-sockets.ts sends them. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?");
}
