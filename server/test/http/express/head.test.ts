import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseHead } from "../../../src/http/express/head.ts";
import { headerOf, RawClient } from "./raw-client.ts";

const get = (...headers: string[]) =>
  `GET /a HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;

describe("the head of a plain request is taken:", () => {
  it.each([
    ["GET", "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET", "/a", { host: "x" }],
    ["HEAD", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD", "/", { host: "x" }],
    [
      "every character of an address",
      "GET //a-b._~:/?[]@!$&'()*+,;=%00?? HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET",
      "//a-b._~:/?[]@!$&'()*+,;=%00??",
      { host: "x" },
    ],
    ["names in capitals", get("X-API-KEY: K"), "GET", "/a", { host: "x", "x-api-key": "K" }],
    ["space and tabs around a value", get("a: \t b \tc\t "), "GET", "/a", { host: "x", a: "b \tc" }],
    ["no space before a value", get("a:b:c"), "GET", "/a", { host: "x", a: "b:c" }],
    ["an empty value", get("a:", "b:  "), "GET", "/a", { host: "x", a: "", b: "" }],
    ["an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET", "/", { host: "" }],
    ["a strange name", get("!#$%&'*+-.^_`|~09: b"), "GET", "/a", { host: "x", "!#$%&'*+-.^_`|~09": "b" }],
    ["a name of Object's", get("toString: b"), "GET", "/a", { host: "x", tostring: "b" }],
    ["keep-alive", get("Connection: keep-alive"), "GET", "/a", { host: "x", connection: "keep-alive" }],
    ["Keep-Alive in capitals", get("connection:Keep-Alive "), "GET", "/a", { host: "x", connection: "Keep-Alive" }],
  ])("%s", (_, text, method, url, headers) => {
    expect(parseHead(text)).toEqual({ method, url, headers });
  });
});

describe("to Node is left:", () => {
  it.each([
    ["nothing", ""],
    ["no end", get().slice(0, -1)],
    ["no empty line", get().slice(0, -2)],
    ["an empty line before", `\r\n${get()}`],
    ["two requests", get() + get()],
    ["a byte behind", `${get()}x`],
    ["an empty line behind", `${get()}\r\n`],
    ["no header", "GET /a HTTP/1.1\r\n\r\n"],
    ["no Host", "GET /a HTTP/1.1\r\na: b\r\n\r\n"],
    ["Host twice", get("host: y")],
    ["a header twice", get("a: b", "A: b")],
    ["an empty header twice", get("a:", "a:")],
    ["a key twice", get("Authorization: Bearer a", "authorization: Bearer a")],
    ["Content-Length", get("Content-Length: 0")],
    ["Transfer-Encoding", get("Transfer-Encoding: chunked")],
    ["an empty Transfer-Encoding", get("Transfer-Encoding:")],
    ["Expect", get("Expect: 100-continue")],
    ["Upgrade", get("Upgrade: h2c")],
    ["HTTP2-Settings", get("HTTP2-Settings: AAMAAABkAAQAAP__")],
    ["TE", get("TE: trailers")],
    ["Trailer", get("Trailer: a")],
    ["Keep-Alive", get("Keep-Alive: timeout=5")],
    ["Connection: close", get("Connection: close")],
    ["Connection: CLOSE", get("CONNECTION: CLOSE")],
    ["Connection: keep-alive, close", get("Connection: keep-alive, close")],
    ["Connection: upgrade", get("Connection: upgrade")],
    ["Connection without a value", get("Connection:")],
    ["Connection twice", get("Connection: keep-alive", "Connection: keep-alive")],
    ["Proxy-Connection", get("Proxy-Connection: keep-alive")],
    ["HTTP/1.0", get().replace("1.1", "1.0")],
    ["HTTP/1.2", get().replace("1.1", "1.2")],
    ["HTTP/2", get().replace("1.1", "2")],
    ["http/1.1", get().replace("HTTP", "http")],
    ["another method", get().replace("GET", "POST")],
    ["a method in small letters", get().replace("GET", "get")],
    ["a longer method", get().replace("GET", "GETS")],
    ["an absolute address", get().replace("/a", "http://x/a")],
    ["an authority", get().replace("/a", "x:80")],
    ["an asterisk", get().replace("/a", "*")],
    ["no address", get().replace("/a ", "")],
    ["an empty address", get().replace("/a", "")],
    ["a space in the address", get().replace("/a", "/a b")],
    ["a tab in the address", get().replace("/a", "/a\tb")],
    ["a fragment", get().replace("/a", "/a#b")],
    ["a quotation mark in the address", get().replace("/a", '/a"b')],
    ["a backslash in the address", get().replace("/a", "/a\\b")],
    ["NUL in the address", get().replace("/a", "/a\0")],
    ["a byte above 127 in the address", get().replace("/a", "/\xe4")],
    ["two spaces before the address", get().replace(" /a", "  /a")],
    ["a tab before the address", get().replace(" /a", "\t/a")],
    ["a space behind the version", get().replace("1.1", "1.1 ")],
    ["a space before the colon", get("a : b")],
    ["a tab before the colon", get("a\t: b")],
    ["no colon", get("a")],
    ["an empty name", get(": b")],
    ["a space in a name", get("a b: c")],
    ["a byte above 127 in a name", get("\xe4: b")],
    ["a bracket in a name", get("a[]: b")],
    ["NUL in a value", get("a: b\0")],
    ["a control in a value", get("a: b\x01")],
    ["DEL in a value", get("a: b\x7f")],
    ["a byte above 127 in a value", get("a: \xe4")],
    ["a bare LF in a value", get("a: b\nc: d")],
    ["a bare CR in a value", get("a: b\rc: d")],
    ["CR CR LF", get("a: b\r")],
    ["LF only", get().replaceAll("\r\n", "\n")],
    ["LF at the end of one line", get().replace("1.1\r\n", "1.1\n")],
    ["LF at the end of all", get().replace(/\r\n$/, "\n")],
    ["a folded line", get("a: b", " c")],
    ["a line folded by a tab", get("a: b", "\tc")],
    ["a folded line before all", "GET /a HTTP/1.1\r\n Host: x\r\n\r\n"],
    ["__proto__", get("__proto__: b")],
    ["constructor", get("constructor: b")],
  ])("%s", (_, text) => {
    expect(parseHead(text)).toBeUndefined();
  });
});

/** Requests as clients send them, to be spoiled. */
const TEXTS = [
  get(),
  "HEAD /api/v2/database/metadata?id=vpn_ip_v1&apikey=a%20b HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
  get("User-Agent: curl/8.5.0", "Accept: */*", 'If-None-Match: "a", W/"b"'),
  get("Connection: keep-alive", "Authorization: Bearer dbd_abc", "Accept-Encoding: gzip, deflate", "Cookie: a=b; c=d"),
  get("accept:\t*/*\t", "x-forwarded-for: 10.0.0.1, ::1", "Range: bytes=0-5", "X-Empty:", "Referer: http://x/?a=b"),
];
const NASTY = [
  ..." \t\r\n\0\x01\x0b\x0c\x1f\x7f\x80\x85\xa0\xff:;,.%#?/\\\"'`<>{}[]()|^~@!$&*+=-_09azGH",
  ...["\r\n", "\r\n\r\n", "\n\n", "\r\n ", "\r\n\t", " \r\n", " : ", "//", "/../", "%00", "%0d%0a", "*", "http://x/"],
  ...[
    "HTTP/1.1",
    "HTTP/1.0",
    "HTTP/0.9",
    "GET ",
    "GET / HTTP/1.1\r\n",
    "POST ",
    "PRI ",
    "__proto__",
    "constructor: a\r\n",
  ],
  ...[
    "Host: y\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 0\r\n",
    "content-length:\r\n",
    "Expect: 100-continue\r\n",
  ],
  ...["Transfer-Encoding: chunked\r\n", "transfer-encoding : chunked\r\n", "Connection: close\r\n", "Upgrade: a\r\n"],
  ...[
    "Connection: keep-alive\r\n",
    "Connection: \tkeep-alive\t\r\n",
    "Proxy-Connection: close\r\n",
    "Accept: a\r\n",
    "A: b\r\n",
  ],
];

describe("whatever is taken, Node's server understands in the same way", () => {
  let node: Server;
  beforeAll(async () => {
    node = createServer(({ method, url, headers }, response) => {
      response.writeHead(200, { "content-length": 0, seen: JSON.stringify({ method, url, headers }) }).end();
    }).listen(0, "127.0.0.1");
    await once(node, "listening");
  });
  afterAll(() => node.close());

  /** All that Node has to say to these bytes and the end of the connection. */
  async function seenByNode(text: string) {
    const client = await RawClient.open(`http://127.0.0.1:${(node.address() as AddressInfo).port}`);
    client.send(text);
    const answer = await client.answer();
    client.socket.end();
    const head = JSON.parse(headerOf(answer, "seen") ?? "{}");
    return { statusLine: answer.statusLine, head, rest: await client.rest() };
  }

  async function expectSame(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      // One answer, and nothing behind it.
      const expected = { text, statusLine: "HTTP/1.1 200 OK", head: parseHead(text), rest: "" };
      expect({ text, ...(await seenByNode(text)) }).toEqual(expected);
    }
  }

  it("of thousands of spoiled requests", async () => {
    const random = randomNumbers(20_261_115);
    const spoiled = new Set(Array.from({ length: 8000 }, () => spoil(pick(TEXTS, random), random)));
    const taken = [...spoiled].filter(parseHead);
    expect(taken.length).toBeGreaterThan(1000);
    expect(spoiled.size - taken.length).toBeGreaterThan(3000);
    const lanes = Array.from({ length: 16 }, (_, lane) => taken.filter((_, i) => i % 16 === lane));
    await Promise.all(lanes.map(expectSame));
  });

  it("of every byte at every place", async () => {
    const text = get("a: b");
    const bytes = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i));
    const places = Array.from({ length: text.length }, (_, i) => i);
    const replaced = places.flatMap((i) => bytes.map((byte) => text.slice(0, i) + byte + text.slice(i + 1)));
    const taken = replaced.filter(parseHead);
    expect(taken.length).toBeGreaterThan(200);
    const lanes = Array.from({ length: 16 }, (_, lane) => taken.filter((_, i) => i % 16 === lane));
    await Promise.all(lanes.map(expectSame));
  });

  it("of Set-Cookie, which is a list", () => expectSame([get("Set-Cookie: a=b")].filter(parseHead)));

  it("of more headers than Node reads", async () => {
    const many = Array.from({ length: 1200 }, (_, i) => `h${i}:`);
    await expectSame([get(...many)].filter(parseHead));
  });
});

function spoil(text: string, random: () => number): string {
  let spoiled = text;
  for (let times = Math.floor(random() * 3); times >= 0; times -= 1) spoiled = spoilOnce(spoiled, random);
  return spoiled;
}

function spoilOnce(text: string, random: () => number): string {
  const at = Math.floor(random() * (text.length + 1));
  const kind = random();
  if (kind < 0.4) return text.slice(0, at) + pick(NASTY, random) + text.slice(at);
  if (kind < 0.7) return text.slice(0, at) + pick(NASTY, random) + text.slice(at + 1);
  if (kind < 0.8) return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 4));
  const lines = text.split("\r\n");
  const line = 1 + Math.floor(random() * (lines.length - 1));
  if (kind < 0.85) lines.splice(line, 0, lines[line] ?? "");
  else if (kind < 0.95) lines.splice(line, 0, ...lines.splice(Math.max(1, line - 1), 1));
  else lines.splice(line, 0, pick(NASTY, random));
  return lines.join("\r\n");
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** Mulberry32: the same numbers each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
