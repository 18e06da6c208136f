const END_OF_HEAD = Buffer.from("\r\n\r\n");
const MAX_HEAD_BYTES = 64 * 1024;

/** Status and headers of an answer. */
export interface Head {
  status: number;
  headers: Map<string, string>;
}

/** Collects bytes until the head of an answer is whole. */
export class HeadReader {
  #bytes = Buffer.alloc(0);

  /** The head, and the bytes of the body that came with it; undefined while it is not whole. Throws if it is none. */
  take(bytes: Uint8Array): { head: Head; rest: Buffer } | undefined {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const end = this.#bytes.indexOf(END_OF_HEAD);
      if (end === -1) {
        if (this.#bytes.length > MAX_HEAD_BYTES) throw new SyntaxError("the head of the answer is too large");
        return undefined;
      }
      const head = parseHead(this.#bytes.toString("latin1", 0, end));
      this.#bytes = this.#bytes.subarray(end + END_OF_HEAD.length);
      // 1xx: the answer itself is still to come.
      if (head.status >= 200) return { head, rest: this.#bytes };
    }
  }
}

function parseHead(text: string): Head {
  const [first = "", ...lines] = text.split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw new SyntaxError("the answer is not HTTP/1");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) throw new SyntaxError("the answer has a line that is no header");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  return { status: Number(status), headers };
}
