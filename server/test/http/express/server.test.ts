import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ask, ENDLESS, eventually, expectAnswer, MIB } from "./asking.ts";
import { headerOf, plain, type RawClient } from "./raw-client.ts";
import { bodyOf, TestServer } from "./test-server.ts";

describe("a connection with plain requests", () => {
  it("is answered by the express lane, one after the other, whatever the size", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    for (const sizeBytes of [0, 1, 8191, 8192, 8193, 100, 65_536, 5 * MIB, 2]) await ask(client, `/now/${sizeBytes}`);
    const answer = await client.send(plain("/now/3", { headers: "Connection: keep-alive\r\n" })).answer();
    expectAnswer(answer, "/now/3", "express");
    expect(answer.headers.slice(0, 3)).toEqual([
      ["Date", expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)],
      ["Connection", "keep-alive"],
      ["Keep-Alive", "timeout=72"],
    ]);
    await eventually(() => test.visits.every(({ over, taken }) => over === 1 && taken === 1)).toBe(true);
    expect(test.sockets).toHaveLength(1);
  });

  it("gets no body to a HEAD, and its next answer", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    for (const url of ["/now/10", `/now/${MIB}`]) {
      const { body, ...head } = await client.send(plain(url, { method: "HEAD" })).answer({ isHead: true });
      expect([head.status, headerOf(head, "content-length"), body.length]).toEqual([200, url.slice(5), 0]);
      await ask(client, "/now/20");
    }
    await eventually(() => test.visits.map(({ by, over, taken }) => [by, over, taken])).toEqual(
      Array(4).fill(["express", 1, 1]),
    );
  });

  it("is answered asynchronously too", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    for (const url of ["/later/10", `/later/${MIB}`]) {
      client.send(plain(url));
      await eventually(() => test.later.length).toBe(1);
      expect(test.visits.at(-1)).toMatchObject({ over: 0, taken: 0 });
      test.later.shift()?.();
      expectAnswer(await client.answer(), url, "express");
    }
  });

  it("takes a head of 16 KiB", async () => {
    await using test = await TestServer.open();
    const lengthWithout = plain("/now/1", { headers: "a: \r\n" }).length;
    const headers = `a: ${"x".repeat(16 * 1024 - lengthWithout)}\r\n`;
    expectAnswer(await (await test.client()).send(plain("/now/1", { headers })).answer(), "/now/1", "express");
  });
});

describe("Node's server gets the connection, with all that was read, when there comes", () => {
  it("a head in two pieces, wherever it is cut", async () => {
    await using test = await TestServer.open();
    const text = plain("/now/9000", { headers: "Accept: */*\r\nConnection: keep-alive\r\n" });
    const cuts = Array.from({ length: text.length - 1 }, (_, i) => i + 1);
    const clients = await Promise.all(cuts.map(() => test.client()));
    for (const [i, client] of clients.entries()) client.send(text.slice(0, cuts[i]));
    const sentBytes = cuts.reduce((sum, cut) => sum + cut, 0);
    await eventually(() => test.sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)).toBe(sentBytes);
    expect(test.visits).toEqual([]);
    for (const [i, client] of clients.entries()) client.send(text.slice(cuts[i]));
    for (const client of clients) expectAnswer(await client.answer(), "/now/9000", "node");
    // It stays there.
    for (const client of clients) await ask(client, "/now/1", "node");
  });

  it("another route, and then a plain request again", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    await ask(client, "/now/1");
    await ask(client, "/node/1", "node");
    await ask(client, "/now/2", "node");
  });

  it("a body, in one piece or in several, after plain requests", async () => {
    await using test = await TestServer.open();
    const body = bodyOf(`/now/${MIB}`);
    const head = `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (const first of [0, 1, 1000]) {
      const client = await test.client();
      await ask(client, "/now/1");
      client.send(Buffer.concat([Buffer.from(head), body.subarray(0, first)]));
      await sleep(10);
      client.send(body.subarray(first));
      expect((await client.answer()).body.equals(body)).toBe(true);
      await ask(client, "/now/2", "node");
    }
  });

  it("a body of chunks, and what else only Node understands", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    await ask(client, "/now/1");
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    expect((await client.answer()).body.toString()).toBe("abc");
    const another = await test.client();
    another.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    expect((await another.answer()).statusLine).toBe("HTTP/1.1 100 Continue");
    expect((await another.send("ok").answer()).body.toString()).toBe("ok");
  });

  it("a body that takes its time: the lane's time to be idle does not count for it", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    await ask(client, "/now/1");
    const [socket] = test.sockets;
    expect(socket?.timeout).toBe(73_000);
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n");
    await eventually(() => socket?.timeout).toBe(0);
    expect((await client.send("ok").answer()).body.toString()).toBe("ok");
    // Node's own, between two requests.
    await eventually(() => socket?.timeout).toBe(73_000);
  });

  it("Connection: close, or HTTP/1.0: the answer, and then the end", async () => {
    await using test = await TestServer.open();
    for (const text of [
      plain("/now/10000", { headers: "Connection: close\r\n" }),
      "GET /now/10000 HTTP/1.0\r\nHost: x\r\n\r\n",
      "GET /now/10000 HTTP/1.0\r\n\r\n",
    ]) {
      const client = await test.client();
      await ask(client, "/now/1");
      const answer = await client.send(text).answer();
      expectAnswer(answer, "/now/10000", "node");
      expect(headerOf(answer, "connection")).toBe("close");
      expect(await client.rest()).toBe("");
    }
  });

  it("a head of 17 KiB, or what is no HTTP: 431 and 400", async () => {
    await using test = await TestServer.open();
    for (const [text, status] of [
      [plain("/now/1", { headers: `a: ${"x".repeat(17 * 1024)}\r\n` }), 431],
      [plain(`/now/1?${"x".repeat(17 * 1024)}`), 431],
      ["nonsense\r\n\r\n", 400],
      ["GET /now/1 HTTP/1.1\r\n\r\n", 400],
      [plain("/now/1", { headers: "a : b\r\n" }), 400],
      [plain("/now/1", { headers: "a: b\n\r\n" }), 400],
    ] as const) {
      const fresh = await test.client();
      expect((await fresh.send(text).answer()).status).toBe(status);
      const used = await test.client();
      await ask(used, "/now/1");
      expect((await used.send(text).answer()).status).toBe(status);
      await used.rest();
    }
  });
});

describe("pipelined requests are answered in their order, all of them", () => {
  /** The server has read it before more is sent. */
  async function sendAlone(test: TestServer, client: RawClient, text: string): Promise<void> {
    const before = test.sockets.at(-1)?.bytesRead ?? 0;
    client.send(text);
    await eventually(() => test.sockets.at(-1)?.bytesRead).toBe(before + text.length);
  }

  it("in one piece", async () => {
    await using test = await TestServer.open();
    const urls = ["/now/1", `/now/${MIB}`, "/later/2", "/node/3", "/now/4"];
    for (const isUsedBefore of [false, true]) {
      const client = await test.client();
      if (isUsedBefore) await ask(client, "/now/7");
      client.send(urls.map((url) => plain(url)).join(""));
      await eventually(() => test.later.length).toBe(1);
      test.later.shift()?.();
      for (const url of urls) expectAnswer(await client.answer(), url, "node");
    }
  });

  it("while the first is being answered: another plain one, several of them, a broken one, a body", async () => {
    await using test = await TestServer.open();
    for (const [pieces, ways] of [
      [[plain("/now/1")], ["express"]],
      [
        [plain("/now/1"), plain("/now/20000")],
        ["node", "node"],
      ],
      [[plain("/now/1").slice(0, 7), plain("/now/1").slice(7)], ["express"]],
      [[plain("/now/1").slice(0, 7)], []],
      [[plain("/node/1")], ["node"]],
    ] as const) {
      const client = await test.client();
      client.send(plain("/later/10"));
      await eventually(() => test.later.length).toBe(1);
      for (const piece of pieces) await sendAlone(test, client, piece);
      test.later.shift()?.();
      expectAnswer(await client.answer(), "/later/10", "express");
      const urls = [...pieces.join("").matchAll(/GET (\S+) HTTP/g)].map(([, url = ""]) => url);
      for (const [i, by] of ways.entries()) expectAnswer(await client.answer(), urls[i] ?? "", by);
      if (ways.length === 0) {
        client.send(plain("/now/1").slice(7));
        expectAnswer(await client.answer(), "/now/1", "node");
      }
      await ask(client, "/now/5", ways.at(-1) ?? "node");
    }
  });

  it("while the first is being answered: more of them than are read by then", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    client.send(plain("/later/10"));
    await eventually(() => test.later.length).toBe(1);
    const urls = Array.from({ length: 5000 }, (_, i) => `/now/5?${i}`);
    const headers = `a: ${"x".repeat(100)}\r\n`;
    client.send(urls.map((url) => plain(url, { headers })).join(""));
    // It reads on until its hands are full, and no further.
    await eventually(() => test.sockets[0]?.bytesRead).toBeGreaterThan(16 * 1024);
    await sleep(50);
    expect(test.sockets[0]?.bytesRead).toBeLessThan(256 * 1024);
    test.later.shift()?.();
    expectAnswer(await client.answer(), "/later/10", "express");
    const answered = [];
    for (const _ of urls) answered.push(headerOf(await client.answer(), "url"));
    expect(answered).toEqual(urls);
  });

  it("while a long answer is still on its way out", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    client.send(plain(ENDLESS));
    await eventually(() => test.visits.length).toBe(1);
    client.send(plain("/now/1"));
    await eventually(() => test.sockets[0]?.bytesRead).toBe(plain(ENDLESS).length + plain("/now/1").length);
    expect(test.visits).toHaveLength(1);
    expectAnswer(await client.answer(), ENDLESS, "express");
    expectAnswer(await client.answer(), "/now/1", "express");
  });
});

describe("a header that would have a character that none can have", () => {
  it.each(["a\r\nb: c", "a\nb", "a\r", "\0", "\x7f", "\u010a", "\u560a", "\u{1f600}"])("%j", async (value) => {
    const faults: unknown[] = [];
    let taken = 0;
    await using test = await TestServer.open((outlet) => {
      try {
        outlet.send(200, ["before", "a", "bad", value], Buffer.from("never"), () => {
          taken += 1;
        });
      } catch (error) {
        faults.push(error);
      }
      expect([outlet.isBegun, outlet.isDone]).toEqual([false, false]);
      outlet.send(500, ["content-length", "0"], undefined);
      expect([outlet.isBegun, outlet.isDone]).toEqual([true, true]);
    });
    const client = await test.client();
    client.send(plain("/own")).socket.end();
    const { statusLine, headers } = await client.answer();
    expect([statusLine, headers.at(-1)]).toEqual(["HTTP/1.1 500 Internal Server Error", ["content-length", "0"]]);
    expect(await client.rest()).toBe("");
    expect([faults, taken]).toEqual([[expect.any(Error)], 0]);
  });
});

it("a connection that is closed is forgotten, in the lane and at Node's", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  await using test = await TestServer.open();
  for (const url of ["/now/1", "/node/1"]) {
    const client = await test.client();
    await client.send(plain(url)).answer();
    client.socket.destroy();
  }
  await eventually(() => test.sockets.map(({ closed }) => closed)).toEqual([true, true]);
  const forgotten = test.sockets.splice(0).map((socket) => new WeakRef(socket));
  await eventually(() => {
    collectGarbage();
    return forgotten.map((socket) => socket.deref() === undefined);
  }).toEqual([true, true]);
});

it("a head that never ends is given up after 60 s", async () => {
  await using test = await TestServer.open();
  // Node takes the shorter of 60 s and requestTimeout for it, and with 0 there is no limit at all.
  expect(test.server.headersTimeout).toBe(60_000);
});
