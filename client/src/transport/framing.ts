import type { Head } from "./head.ts";

/** Tells the bytes of a body from what is around them (RFC 9112, 6). */
export interface Framing {
  isComplete: boolean;
  /** The end of the connection is the end of the body. */
  endsWithConnection: boolean;
  /** Moves the body's bytes to the front and says how many they are. */
  decode(bytes: Uint8Array): number;
}

/** Throws where the headers contradict themselves. */
export function framingOf({ status, headers }: Head): Framing {
  if (status === 204 || status === 304) return counted(0);
  const encoding = headers.get("transfer-encoding");
  if (encoding !== undefined) {
    if (encoding.toLowerCase() !== "chunked") throw new SyntaxError(`the answer has an unknown transfer encoding`);
    return new Chunked();
  }
  const length = headers.get("content-length");
  if (length === undefined) return untilEnd();
  const [first = "", ...others] = length.split(",").map((part) => part.trim());
  if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first)) {
    throw new SyntaxError("the answer has a length that is none");
  }
  return counted(Number(first));
}

function counted(lengthBytes: number): Framing {
  let leftBytes = lengthBytes;
  return {
    isComplete: leftBytes === 0,
    endsWithConnection: false,
    decode(bytes) {
      const taken = Math.min(bytes.length, leftBytes);
      leftBytes -= taken;
      this.isComplete = leftBytes === 0;
      return taken;
    },
  };
}

function untilEnd(): Framing {
  return { isComplete: false, endsWithConnection: true, decode: (bytes) => bytes.length };
}

const MAX_LINE_BYTES = 4096;

/** Chunks, each with its size in front. What stands behind the last one is passed over: nothing else is asked for here. */
class Chunked implements Framing {
  isComplete = false;
  readonly endsWithConnection = false;
  #leftBytes = 0;
  /** What is there of the line that tells a chunk's size. */
  #line = "";
  #isFirst = true;

  decode(bytes: Uint8Array): number {
    let decodedBytes = 0;
    for (let at = 0; at < bytes.length && !this.isComplete; ) {
      if (this.#leftBytes > 0) {
        const taken = Math.min(this.#leftBytes, bytes.length - at);
        bytes.copyWithin(decodedBytes, at, at + taken);
        decodedBytes += taken;
        at += taken;
        this.#leftBytes -= taken;
      } else {
        this.#takeOfLine(bytes[at] as number);
        at += 1;
      }
    }
    return decodedBytes;
  }

  #takeOfLine(byte: number): void {
    this.#line += String.fromCharCode(byte);
    if (this.#line.length > MAX_LINE_BYTES) throw new SyntaxError("a chunk of the answer has no size");
    if (byte !== 0x0a) return;
    const line = this.#line.trim();
    this.#line = "";
    // The line end behind the chunk before.
    if (line === "" && !this.#isFirst) return;
    const size = /^([0-9a-f]{1,12})\s*(?:;.*)?$/i.exec(line)?.[1];
    if (size === undefined) throw new SyntaxError("a chunk of the answer has no size");
    this.#isFirst = false;
    this.#leftBytes = Number.parseInt(size, 16);
    this.isComplete = this.#leftBytes === 0;
  }
}
