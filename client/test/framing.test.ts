import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inPieces } from "../../server/test/builds/made.ts";
import { framingOf } from "../src/transport/framing.ts";
import { HeadReader } from "../src/transport/head.ts";

/** What comes out of an answer that arrives in such pieces. */
function read(answer: Buffer, ...pieceSizes: number[]) {
  const reader = new HeadReader();
  const body: Buffer[] = [];
  let framing: ReturnType<typeof framingOf> | undefined;
  let status = 0;
  const take = (bytes: Buffer) => {
    if (framing) body.push(Buffer.from(bytes.subarray(0, framing.decode(bytes))));
  };
  for (const piece of inPieces(answer, ...pieceSizes)) {
    if (framing) take(Buffer.from(piece));
    else {
      const taken = reader.take(piece);
      if (!taken) continue;
      status = taken.head.status;
      framing = framingOf(taken.head);
      take(Buffer.from(taken.rest));
    }
  }
  return { status, body: Buffer.concat(body).toString(), isComplete: framing?.isComplete };
}

const pieceSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe("an answer in pieces of any size", () => {
  it("with chunks", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 50 })), pieceSizes, (chunks, sizes) => {
        const framed = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)};x=y\r\n${chunk}\r\n`);
        const answer = `HTTP/1.1 206 Some\r\nTransfer-Encoding: chunked\r\n\r\n${framed.join("")}0\r\nTrailer: x\r\n\r\n`;
        expect(read(Buffer.from(answer), ...sizes)).toEqual({ status: 206, body: chunks.join(""), isComplete: true });
      }),
    );
  });

  it("with a length, and what does not belong to it", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), pieceSizes, (text, sizes) => {
        const answer = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
        expect(read(Buffer.from(`${answer}more`), ...sizes)).toEqual({ status: 200, body: text, isComplete: true });
      }),
    );
  });

  it("that ends early is not complete", () => {
    for (const end of ["", "5\r\nhel", "5\r\nhello", "5\r\nhello\r\n"]) {
      const { isComplete } = read(Buffer.from(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${end}`), 7);
      expect(isComplete).toBe(false);
    }
    expect(read(Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfour"), 3).isComplete).toBe(false);
    expect(read(Buffer.from("HTTP/1.1 200 OK\r\n\r\nfour"), 3)).toEqual({
      status: 200,
      body: "four",
      isComplete: false,
    });
  });
});

describe("what is no answer", () => {
  it("is refused", () => {
    for (const nonsense of [
      "SSH-2.0-OpenSSH\r\n\r\n",
      "HTTP/2 200\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno header\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 5, 6\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n",
      "x".repeat(70_000),
    ]) {
      expect(() => read(Buffer.from(nonsense), 50_000)).toThrow(SyntaxError);
    }
  });
});
