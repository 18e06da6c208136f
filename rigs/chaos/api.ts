const TIMEOUT_MS = 30_000;

export interface Reply {
  status: number;
  headers: Headers;
  body: Buffer;
}

export interface RequestTerms {
  method?: string;
  userAgent?: string;
  /** Sent as JSON, or as it is if it is a Buffer. */
  body?: object | Buffer;
}

/** Calls a service with one key, as customers and operators do. Does not follow redirects. */
export class Api {
  readonly #origin: string;
  readonly #key: string;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.#key = key;
  }

  withKey(key: string): Api {
    return new Api(this.#origin, key);
  }

  /** Throws if the response does not arrive completely. */
  async send(path: string, { method, userAgent = "dbdepot-bench", body }: RequestTerms = {}): Promise<Reply> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key}`, "user-agent": userAgent };
    const isJson = body !== undefined && !Buffer.isBuffer(body);
    if (body !== undefined) headers["content-type"] = isJson ? "application/json" : "application/octet-stream";
    const response = await fetch(new URL(path, this.#origin), {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : new Uint8Array(body as Buffer) }),
    });
    const { status } = response;
    return { status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  }

  /** Returns the JSON of a response that must be a success. */
  async json<T>(path: string, terms?: RequestTerms): Promise<T> {
    const { status, body } = await this.send(path, terms);
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
    return JSON.parse(body.toString()) as T;
  }

  /** All pages of a list. */
  async *pages<T>(path: string): AsyncGenerator<T> {
    for (let next: string | undefined = path; next !== undefined; ) {
      const reply: Reply = await this.send(next);
      if (reply.status !== 200) throw new Error(`${next}: ${reply.status} ${reply.body}`);
      yield JSON.parse(reply.body.toString()) as T;
      const link: string | undefined = /<([^>]+)>; *rel="next"/.exec(reply.headers.get("link") ?? "")?.[1];
      // The link may have the service's public host, so only its path and query are used.
      next = link && new URL(link, this.#origin).pathname + new URL(link, this.#origin).search;
    }
  }
}
