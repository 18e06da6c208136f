import { randomBytes } from "node:crypto";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, type MockInstance, onTestFinished, test, vi } from "vitest";
import { sendPart } from "../../src/objects/send-part.ts";
import { DirectConnection } from "../../src/objects/sendfile.ts";
import { listen, stop } from "./disk-place.ts";

const MIB = 1024 * 1024;

const bytes = randomBytes(16 * MIB);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dbdepot-send-part-"));
  await writeFile(join(folder, "file"), bytes);
});
afterAll(() => rm(folder, { recursive: true }));

/** Answers /FIRST-LAST with that part of the file. */
async function serve(options: { encrypted?: boolean } = {}): Promise<{ server: Server; origin: string }> {
  const server = createServer(async (request, response) => {
    const [first, last] = String(request.url).slice(1).split("-").map(Number) as [number, number];
    const file = await open(join(folder, "file"));
    response.writeHead(200, { "Content-Length": last - first + 1 });
    await sendPart(file, { first, last }, response);
    response.end();
    await file.close();
  });
  // All that the sender goes by. A connection that is truly encrypted would be another server.
  if (options.encrypted) server.on("connection", (socket) => Object.assign(socket, { encrypted: true }));
  const origin = await listen(server);
  onTestFinished(() => stop(server));
  return { server, origin };
}

async function fetchPart(origin: string, first: number, last: number): Promise<Buffer> {
  const response = await new Promise<IncomingMessage>((resolve) => get(`${origin}/${first}-${last}`, resolve));
  return buffer(response);
}

const PARTS = [
  [0, 0],
  [0, 4095],
  [0, 4096],
  [5, 4101],
  [123_456, 5_000_000],
  [0, bytes.length - 1],
  [bytes.length - 1, bytes.length - 1],
] as const;

describe.each([{ encrypted: false }, { encrypted: true }])("a part of a file, encrypted: $encrypted", (options) => {
  test.each(PARTS)("from %i to %i", async (first, last) => {
    const { origin } = await serve(options);
    expect(bytes.subarray(first, last + 1).equals(await fetchPart(origin, first, last))).toBe(true);
  });

  test("and others, asked for on one connection without waiting, come whole and in order", async () => {
    const { server } = await serve(options);
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const parts = [PARTS[4], PARTS[0], PARTS[5], PARTS[3]];
    parts.forEach(([first, last], i) => {
      const end = i === parts.length - 1 ? "Connection: close\r\n" : "";
      client.write(`GET /${first}-${last} HTTP/1.1\r\nHost: localhost\r\n${end}\r\n`);
    });
    let rest = await buffer(client);
    for (const [first, last] of parts) {
      const body = rest.indexOf("\r\n\r\n") + 4;
      expect(rest.subarray(0, body).toString()).toContain(`Content-Length: ${last - first + 1}`);
      const length = last - first + 1;
      expect(rest.subarray(body, body + length).equals(bytes.subarray(first, last + 1))).toBe(true);
      rest = rest.subarray(body + length);
    }
    expect(rest).toHaveLength(0);
  });
});

/** Of all that it was asked to send. */
async function sentByKernel(spy: MockInstance<DirectConnection["send"]>): Promise<number> {
  const sent = await Promise.all(spy.mock.results.map(({ value }) => value as Promise<number>));
  return sent.reduce((sum, bytes) => sum + bytes, 0);
}

describe.runIf(process.platform === "linux")("the kernel", () => {
  test("sends nearly all of a file, unless it is encrypted", async () => {
    const spy = vi.spyOn(DirectConnection.prototype, "send");
    onTestFinished(() => void vi.restoreAllMocks());
    const plain = await serve();
    await fetchPart(plain.origin, 0, bytes.length - 1);
    expect(await sentByKernel(spy)).toBeGreaterThan(bytes.length * 0.9);

    spy.mockClear();
    const encrypted = await serve({ encrypted: true });
    await fetchPart(encrypted.origin, 0, bytes.length - 1);
    expect(spy).not.toHaveBeenCalled();
  });

  test("sends nearly all of a file also after it once took nothing, for want of room", async () => {
    const spy = vi.spyOn(DirectConnection.prototype, "send").mockResolvedValueOnce(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const { origin } = await serve();
    expect(bytes.equals(await fetchPart(origin, 0, bytes.length - 1))).toBe(true);
    expect(await sentByKernel(spy)).toBeGreaterThan(bytes.length * 0.9);
  });
});

test("where the kernel takes nothing of a file, it comes in pieces that are not too short", async () => {
  const sent = vi.spyOn(DirectConnection.prototype, "send").mockResolvedValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const { origin } = await serve();
  expect(bytes.equals(await fetchPart(origin, 0, bytes.length - 1))).toBe(true);
  expect(sent.mock.calls.length).toBeLessThan(70);
});
