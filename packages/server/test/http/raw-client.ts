import { once } from "node:events";
import { connect, type Socket } from "node:net";

const HEAD_END = "\r\n\r\n";

export interface RawResponse {
  statusLine: string;
  status: number;
  /** The headers in the order and spelling of the server. */
  headers: [name: string, value: string][];
  body: Buffer;
}

/** A connection that sends exactly the given bytes and reads only while a test waits for a response. */
export class RawClient {
  readonly socket: Socket;
  #unread = Buffer.alloc(0);
  #wake = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    for (const event of ["readable", "end", "error", "close"]) socket.on(event, () => this.#wake());
  }

  static async open(apiUrl: string): Promise<RawClient> {
    const { hostname, port } = new URL(apiUrl);
    const socket = connect({ port: Number(port), host: hostname, noDelay: true });
    await once(socket, "connect");
    return new RawClient(socket);
  }

  send(bytes: string | Buffer): this {
    this.socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    return this;
  }

  /** Reads the next response. A response to HEAD has no body, whatever its Content-Length. */
  async response({ isHead = false } = {}): Promise<RawResponse> {
    let end = -1;
    while (end < 0) {
      end = this.#unread.indexOf(HEAD_END);
      if (end < 0 && !(await this.#read()))
        throw new Error(`the connection ended before a response: ${this.#unread.toString()}`);
    }
    const [statusLine = "", ...lines] = this.#unread.toString("latin1", 0, end).split("\r\n");
    const status = Number(statusLine.split(" ")[1]);
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
    const lengthBytes = isHead || status === 304 ? 0 : Number(headerOf({ headers }, "content-length") ?? 0);
    return { statusLine, status, headers, body: await this.#take(end + HEAD_END.length, lengthBytes) };
  }

  /** Reads until the server closes the connection. */
  async rest(): Promise<string> {
    while (await this.#read());
    return this.#unread.toString("latin1");
  }

  async #take(from: number, lengthBytes: number): Promise<Buffer> {
    const pieces = [this.#unread.subarray(from)];
    let missing = lengthBytes - (this.#unread.length - from);
    while (missing > 0) {
      this.#unread = Buffer.alloc(0);
      if (!(await this.#read())) throw new Error(`the connection ended ${missing} bytes before the end of a response`);
      pieces.push(this.#unread);
      missing -= this.#unread.length;
    }
    const all = Buffer.concat(pieces);
    this.#unread = all.subarray(lengthBytes);
    return all.subarray(0, lengthBytes);
  }

  /** Returns false if the connection has ended. */
  async #read(): Promise<boolean> {
    for (;;) {
      const bytes: Buffer | null = this.socket.read();
      if (bytes) {
        this.#unread = Buffer.concat([this.#unread, bytes]);
        return true;
      }
      if (this.socket.readableEnded || this.socket.destroyed) return false;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export function headerOf({ headers }: Pick<RawResponse, "headers">, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

/** The text of a request without a body. */
export function requestText(path: string, { method = "GET", headers = "" } = {}): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
}
