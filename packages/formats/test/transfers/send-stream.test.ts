import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen, stop } from "../../../server/test/adapters/objects/disk-with-gateway.ts";
import { ClientDisconnected, sendStream } from "../../src/transfers/send-stream.ts";

const MIB = 1024 * 1024;

interface Transfer {
  source: Readable;
  /** The error that ended it, if any. */
  result: Promise<unknown>;
}

/** A server that answers every request with a stream from `open`. */
async function serve(open: () => Readable, before: (response: ServerResponse) => unknown = () => {}) {
  const transfers: Transfer[] = [];
  const server = createServer(async (_, response) => {
    const source = open();
    await before(response);
    response.writeHead(200, { "Content-Length": 64 * MIB });
    transfers.push({ source, result: sendStream(source, response, 64 * MIB).catch((error) => error) });
  });
  const origin = await listen(server);
  onTestFinished(() => stop(server));
  return { server, origin, transfers };
}

async function begin(origin: string): Promise<IncomingMessage> {
  const [response] = await once(get(origin, { agent: false }), "response");
  return response;
}

function endless(): Readable {
  return new Readable({
    read() {
      this.push(Buffer.alloc(MIB));
    },
  });
}

describe("sendStream", () => {
  it("sends the bytes in order and frees their memory", async () => {
    const chunks = Array.from({ length: 64 }, () => Buffer.from(randomBytes(MIB).buffer));
    const whole = Buffer.concat(chunks);
    const { origin, transfers } = await serve(() => Readable.from(chunks));
    expect((await buffer(await begin(origin))).equals(whole)).toBe(true);
    expect(await transfers[0]?.result).toBeUndefined();
    expect(chunks.map(({ buffer }) => buffer.byteLength)).toEqual(chunks.map(() => 0));
  });

  it("has finished the response when a client closes the connection after the last byte", async () => {
    const finished: boolean[] = [];
    const { origin } = await serve(
      () => Readable.from([Buffer.alloc(32 * MIB), Buffer.alloc(32 * MIB)]),
      (response) => response.once("close", () => finished.push(response.writableFinished)),
    );
    for (let round = 1; round <= 5; round += 1) {
      const response = await begin(origin);
      let receivedBytes = 0;
      response.on("data", (chunk: Buffer) => {
        receivedBytes += chunk.length;
        if (receivedBytes === 64 * MIB) response.socket.destroy();
      });
      await expect.poll(() => finished.length).toBe(round);
    }
    expect(finished).toEqual([true, true, true, true, true]);
  });

  it("does not free memory that other buffers share", async () => {
    const whole = Buffer.alloc(64 * MIB, "x");
    const halves = [whole.subarray(0, 32 * MIB), whole.subarray(32 * MIB)];
    const { origin } = await serve(() => Readable.from(halves));
    expect((await buffer(await begin(origin))).equals(whole)).toBe(true);
    expect(whole.length).toBe(64 * MIB);
  });

  it("closes the connection when the source fails", async () => {
    async function* failing() {
      yield Buffer.alloc(MIB);
      yield Buffer.alloc(MIB);
      throw new Error("the disk broke");
    }
    const { origin, transfers } = await serve(() => Readable.from(failing()));
    await expect(buffer(await begin(origin))).rejects.toThrow("aborted");
    expect(await transfers[0]?.result).toEqual(new Error("the disk broke"));
  });

  it("closes the source when the client disconnects", async () => {
    const { origin, transfers } = await serve(endless);
    const response = await begin(origin);
    await once(response, "data");
    response.destroy();
    expect(await transfers[0]?.result).toBeInstanceOf(ClientDisconnected);
    expect(transfers[0]?.source.destroyed).toBe(true);
  });

  it("closes a source that delivers nothing when the client disconnects", async () => {
    const { origin, transfers } = await serve(() => new Readable({ read() {} }));
    const request = get(origin, { agent: false }).on("error", () => {});
    await expect.poll(() => transfers).toHaveLength(1);
    request.destroy();
    expect(await transfers[0]?.result).toBeInstanceOf(ClientDisconnected);
    expect(transfers[0]?.source.destroyed).toBe(true);
  });

  it("closes the source when the client has disconnected before the transfer", async () => {
    const { origin, transfers } = await serve(endless, (response) => {
      request.destroy();
      return once(response, "close");
    });
    const request = get(origin, { agent: false }).on("error", () => {});
    await expect.poll(() => transfers).toHaveLength(1);
    expect(await transfers[0]?.result).toBeInstanceOf(ClientDisconnected);
    expect(transfers[0]?.source.destroyed).toBe(true);
  });

  it("closes the sources of all pipelined requests when the client disconnects", async () => {
    const { server, transfers } = await serve(endless);
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3));
    await expect.poll(() => transfers).toHaveLength(3);
    client.destroy();
    for (const { source, result } of transfers) {
      expect(await result).toBeInstanceOf(ClientDisconnected);
      expect(source.destroyed).toBe(true);
    }
  });
});
