import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const JSON_TYPE = "application/json; charset=utf-8";

/** The answer to one request. Nothing of it leaves before `send` or `begin`. Names of headers are in lower case. */
export class Reply {
  readonly raw: ServerResponse;
  statusCode = 200;
  #headers: OutgoingHttpHeaders;

  constructor(raw: ServerResponse, requestId: string) {
    this.raw = raw;
    this.#headers = { "x-request-id": requestId };
  }

  get isSent(): boolean {
    return this.raw.headersSent;
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: string | number): this {
    this.#headers[name] = value;
    return this;
  }

  headers(headers: Readonly<Record<string, string>>): this {
    Object.assign(this.#headers, headers);
    return this;
  }

  /** As if nothing had been said of the body, for another answer than the one that was meant. */
  forgetHeaders(): void {
    this.#headers = { "x-request-id": this.#headers["x-request-id"] };
  }

  /** Bytes and text as they are; whatever else as JSON. Node leaves the body out where the request was a HEAD. */
  send(body?: Buffer | string | object): this {
    if (body === undefined) return this.#sendNothing();
    if (Buffer.isBuffer(body) || typeof body === "string") return this.#sendBytes(body);
    this.#headers["content-type"] ??= JSON_TYPE;
    return this.#sendBytes(JSON.stringify(body));
  }

  /** A body whose length nobody knows. If it breaks off, so does the connection: nothing else would tell the client. */
  sendStream(body: Readable): this {
    this.begin();
    pipeline(body, this.raw).catch(() => this.raw.destroy());
    return this;
  }

  /** Sends the headers. The body is written, and ended, by whoever called. */
  begin(): void {
    this.raw.writeHead(this.statusCode, this.#headers);
  }

  #sendBytes(body: Buffer | string): this {
    this.#headers["content-length"] = Buffer.byteLength(body);
    this.begin();
    this.raw.end(body);
    return this;
  }

  #sendNothing(): this {
    const hasNoLength = this.statusCode === 304 || this.raw.req.method === "HEAD";
    if (!hasNoLength) this.#headers["content-length"] ??= 0;
    this.begin();
    this.raw.end();
    return this;
  }
}
