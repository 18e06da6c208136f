import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HeaderList, Outlet } from "./outlet.ts";
import type { Ready, ReadyHeader } from "./ready.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** The answer to one request. Nothing of it leaves before `send` or `begin`. Names of headers are in lower case. */
export class Reply {
  readonly #outlet: Outlet;
  readonly #isHead: boolean;
  statusCode = 200;
  #headers: HeaderList;

  constructor(outlet: Outlet, request: { id: string; method: string }) {
    this.#outlet = outlet;
    this.#isHead = request.method === "HEAD";
    this.#headers = ["x-request-id", request.id];
  }

  /** Whether the headers have left. */
  get isSent(): boolean {
    return this.#outlet.isBegun;
  }

  /** Whether the client can have got all of it. */
  get isDone(): boolean {
    return this.#outlet.isDone;
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: string | number): this {
    const at = this.#find(name);
    if (at < 0) this.#headers.push(name, String(value));
    else this.#headers[at + 1] = String(value);
    return this;
  }

  headers(headers: Readonly<Record<string, string>>): this {
    for (const name in headers) this.header(name, headers[name] ?? "");
    return this;
  }

  /** As if nothing had been said of the body, for another answer than the one that was meant. */
  forgetHeaders(): void {
    this.#headers = this.#headers.slice(0, 2);
  }

  /** Bytes as they are; whatever else as JSON. `onTaken` is called when the bytes' memory is free for other use. */
  send(body?: Buffer | object, onTaken?: () => void): this {
    if (body === undefined) {
      if (this.statusCode !== 304 && !this.#isHead) this.#headerIfNone("content-length", 0);
      this.#outlet.send(this.statusCode, this.#headers, undefined, onTaken);
      return this;
    }
    return Buffer.isBuffer(body) ? this.#sendBytes(body, onTaken) : this.sendJson(JSON.stringify(body));
  }

  sendJson(text: string): this {
    this.#headerIfNone("content-type", JSON_TYPE);
    return this.#sendBytes(Buffer.from(text));
  }

  #sendBytes(bytes: Buffer, onTaken?: () => void): this {
    this.header("content-length", bytes.length);
    this.#outlet.send(this.statusCode, this.#headers, bytes, onTaken);
    return this;
  }

  /** Whatever was said of the answer before is forgotten, but for its id. */
  sendReady(ready: Ready, more?: ReadyHeader): this {
    this.statusCode = ready.status;
    this.#outlet.sendReady(ready, this.#headers[1] ?? "", more);
    return this;
  }

  /** A body whose length nobody knows. If it breaks off, so does the connection: nothing else would tell the client. */
  sendStream(body: Readable): this {
    pipeline(body, this.begin()).catch(() => this.cut());
    return this;
  }

  /** Sends the headers. The body is written to the response, and ended, by whoever called. */
  begin(): ServerResponse {
    return this.#outlet.begin(this.statusCode, this.#headers);
  }

  /** Cuts the connection. */
  cut(): void {
    this.#outlet.cut();
  }

  #headerIfNone(name: string, value: string | number): void {
    if (this.#find(name) < 0) this.header(name, value);
  }

  #find(name: string): number {
    for (let i = 0; i < this.#headers.length; i += 2) if (this.#headers[i] === name) return i;
    return -1;
  }
}
