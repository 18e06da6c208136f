import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../harness/random.ts";

const READ_MS = 200;
const TRICKLE_MS = 500;
const HEAD = "GET /api/v2/database/list HTTP/1.1\r\nHost: x\r\n";
const POST = "POST /api/v1/iam/apikeys HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

/** Bytes that no HTTP library would send, by name. Each gets a key to misuse. */
const ATTACKS: Record<string, (random: Random, key: string) => string | Buffer> = {
  "half a request line": () => "GET /api/v2/data",
  "half a head": (_random, key) => `${HEAD}Authorization: Bearer ${key}\r\n`,
  "half a body": (_random, key) => `${POST}Authorization: Bearer ${key}\r\nContent-Length: 100\r\n\r\n{"name":`,
  "pipelined requests": (_random, key) => `${HEAD}Authorization: Bearer ${key}\r\n\r\n`.repeat(50),
  "pipelining after an error": () => `${HEAD}\r\nGARBAGE\r\n\r\n${HEAD}\r\n`,
  "huge header": () => `${HEAD}X-Large: ${"x".repeat(100_000)}\r\n\r\n`,
  "thousands of headers": () => `${HEAD}${Array.from({ length: 5000 }, (_, i) => `H${i}: 1\r\n`).join("")}\r\n`,
  "huge URL": () => `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  "chunk size that lies": () => `${POST}Transfer-Encoding: chunked\r\n\r\nffffffff\r\n{}\r\n0\r\n\r\n`,
  "chunk size that is no number": () => `${POST}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n`,
  "chunk extension without end": () => `${POST}Transfer-Encoding: chunked\r\n\r\n2;${"x".repeat(50_000)}`,
  "length and chunked": () =>
    `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  "two lengths": () => `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
  "negative length": () => `${POST}Content-Length: -1\r\n\r\n{}`,
  "length beyond every limit": (_random, key) =>
    `${POST}Authorization: Bearer ${key}\r\nContent-Length: 99999999999999\r\n\r\n{}`,
  "HTTP/1.0": (_random, key) => `GET /api/v2/database/list?apikey=${key} HTTP/1.0\r\n\r\n`,
  "HTTP/0.9": () => "GET /\r\n",
  "HTTP/2 preface": () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "TLS hello": () => Buffer.from("16030100a5010000a10303", "hex"),
  "bad percent-encoding": (_random, key) => `GET /api/%zz/%?apikey=${key}&id=%ff%c0%ae HTTP/1.1\r\nHost: x\r\n\r\n`,
  "control characters in the URL": () => "GET /api/\x00\x01\x7f HTTP/1.1\r\nHost: x\r\n\r\n",
  "raw UTF-8 in the URL": () => Buffer.from("GET /api/v2/ä?id=ü HTTP/1.1\r\nHost: x\r\n\r\n"),
  "no host": () => "GET /healthz HTTP/1.1\r\n\r\n",
  "two hosts": () => "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
  "bare line feeds": () => "GET /healthz HTTP/1.1\nHost: x\n\n",
  "folded header": () => `${HEAD}X-Folded: a\r\n b\r\n\r\n`,
  "space before the colon": () => `${HEAD}Content-Length : 5\r\n\r\nhello`,
  "two credentials": (_random, key) => `${HEAD}Authorization: Bearer ${key}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  "absolute URL": (_random, key) => `GET http://${key}@evil.example/healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
  asterisk: () => "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
  CONNECT: () => "CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
  upgrade: (_random, key) => `${HEAD}Authorization: Bearer ${key}\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
  expect: () => `${POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  "random bytes": (random) => random.bytes(random.integer(1, 3000)),
  "damaged request": (random, key) => {
    const bytes = Buffer.from(`${POST}Authorization: Bearer ${key}\r\nContent-Length: 12\r\n\r\n{"name":"x"}`);
    for (let i = random.integer(1, 5); i > 0; i -= 1)
      bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
    return bytes;
  },
};

export interface RawResult {
  attack: string;
  /** Everything the server sent before it closed the connection or became silent. */
  received: string;
}

/** Sends one attack on a new connection and disconnects when the server is silent. */
export async function attack(origin: string, random: Random, key: string): Promise<RawResult> {
  const name = random.pick(Object.keys(ATTACKS));
  const bytes = ATTACKS[name]?.(random, key) ?? "";
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = open(origin);
  let received = "";
  socket.on("data", (data: Buffer) => {
    received += data.toString("latin1");
  });
  socket.setTimeout(READ_MS, () => socket.destroy());
  socket.on("close", () => resolve());
  socket.write(bytes);
  if (random.chance(0.2)) socket.end();
  await promise;
  return { attack: name, received };
}

/** Sends a head or a body one byte at a time on many connections until stopped. Returns how many bytes were sent. */
export async function trickle(origin: string, connections: number, stop: AbortSignal): Promise<number> {
  const texts = [`${HEAD}X-Slow: `, `${POST}Content-Length: 1000\r\n\r\n{"name":"`];
  const start = (i: number) => {
    const socket = open(origin);
    socket.resume();
    socket.write(texts[i % texts.length] ?? "");
    return socket;
  };
  let sockets = Array.from({ length: connections }, (_, i) => start(i));
  let sent = 0;
  while (!stop.aborted) {
    sockets = sockets.map((socket, i) => (socket.destroyed ? start(i) : socket));
    for (const socket of sockets) socket.write("x");
    sent += sockets.length;
    await delay(TRICKLE_MS, undefined, { signal: stop }).catch(() => {});
  }
  for (const socket of sockets) socket.destroy();
  return sent;
}

function open(origin: string) {
  const { hostname, port } = new URL(origin);
  // The server may reset the connection at any time.
  return connect(Number(port), hostname).on("error", () => {});
}
