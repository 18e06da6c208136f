import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ask, ENDLESS, eventually, expectAnswer, MIB } from "./asking.ts";
import { headerOf, plain, type RawClient } from "./raw-client.ts";
import { bodyOf, TestServer } from "./test-server.ts";

describe("a client that asks on and on, and reads nothing", () => {
  for (const kind of ["now", "later"]) {
    it(`fills no memory, and gets all its answers once it reads (${kind})`, async () => {
      await using test = await TestServer.open();
      const client = await test.client();
      const headers = `a: ${"x".repeat(15 * 1024)}\r\n`;
      const urls = Array.from({ length: 40 }, (_, i) => `/${kind}/${4 * MIB}?${i}`);
      client.send(plain(urls[0] ?? "", { headers }));
      await eventually(() => test.visits.length).toBe(1);
      for (const url of urls.slice(1)) client.send(plain(url, { headers }));
      const [socket] = test.sockets;
      const answerAll = setInterval(() => test.later.shift()?.(), 1);
      let readBytes = -1;
      while (readBytes !== socket?.bytesRead) {
        readBytes = socket?.bytesRead ?? 0;
        await sleep(200);
      }
      // 600 KiB were sent. A few answers go into the system's buffers; behind them a head and what one reading brings.
      expect(readBytes).toBeLessThan(350 * 1024);
      expect(socket?.writableLength).toBeLessThan(40 * MIB);
      for (const url of urls) {
        const answer = await client.answer();
        expect([headerOf(answer, "url"), answer.body.equals(bodyOf(url))]).toEqual([url, true]);
      }
      clearInterval(answerAll);
      await eventually(() => test.visits.every(({ over, taken }) => over === 1 && taken === 1)).toBe(true);
      expect(new Set(test.visits.map(({ by }) => by))).toEqual(new Set(["express", "node"]));
    });
  }
});

it("a short answer that its client does not read yet stays as it is, whatever others get", async () => {
  await using test = await TestServer.open();
  const client = await test.client();
  const urls: string[] = [];
  while (!test.sockets[0]?.writableNeedDrain) {
    urls.push(`/now/${10_000 + urls.length}`);
    client.send(plain(urls.at(-1) ?? ""));
    await eventually(() => test.visits.length).toBe(urls.length);
  }
  const other = await test.client();
  for (const url of ["/now/9000", "/now/9001"]) await ask(other, url);
  for (const url of urls) {
    const answer = await client.answer();
    expect([headerOf(answer, "url"), answer.body.equals(bodyOf(url))]).toEqual([url, true]);
  }
});

describe("a client that will send nothing more", () => {
  it("gets its answer and then the end, at once or later", async () => {
    await using test = await TestServer.open();
    for (const url of ["/now/1", `/now/${5 * MIB}`]) {
      const client = await test.client();
      client.send(plain(url)).socket.end();
      expectAnswer(await client.answer(), url, "express");
      expect(await client.rest()).toBe("");
    }
    for (const url of ["/later/1", `/later/${5 * MIB}`]) {
      const client = await test.client();
      client.send(plain(url)).socket.end();
      await eventually(() => test.later.length).toBe(1);
      await eventually(() => test.sockets.at(-1)?.readableEnded).toBe(true);
      test.later.shift()?.();
      expectAnswer(await client.answer(), url, "express");
      expect(await client.rest()).toBe("");
    }
    await eventually(() => test.sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });

  /** Sends `urls` and the end while another request is being answered. */
  async function sendAndEnd(test: TestServer, urls: readonly string[]): Promise<RawClient> {
    const client = await test.client();
    client.send(plain("/later/10"));
    await eventually(() => test.later.length).toBe(1);
    client.send(urls.map((url) => plain(url)).join("")).socket.end();
    await eventually(() => test.sockets.at(-1)?.readableEnded).toBe(true);
    test.later.shift()?.();
    expectAnswer(await client.answer(), "/later/10", "express");
    return client;
  }

  it("gets the answer to what it had sent meanwhile, by the lane or by Node", async () => {
    await using test = await TestServer.open();
    for (const [url, by] of [
      ["/now/1", "express"],
      ["/node/1", "node"],
    ] as const) {
      const client = await sendAndEnd(test, [url]);
      expectAnswer(await client.answer(), url, by);
      expect(await client.rest()).toBe("");
    }
  });

  it("gets the answers to all that it had sent meanwhile, as from Node alone", async () => {
    await using test = await TestServer.open();
    const client = await sendAndEnd(test, ["/now/1", "/now/20000"]);
    expectAnswer(await client.answer(), "/now/1", "node");
    expectAnswer(await client.answer(), "/now/20000", "node");
    expect(await client.rest()).toBe("");
  });

  it("gets the end if it had sent nothing", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    client.socket.end();
    expect(await client.rest()).toBe("");
    const used = await test.client();
    await ask(used, "/now/1");
    used.socket.end();
    expect(await used.rest()).toBe("");
  });
});

describe("a client that goes away", () => {
  it("before its answer: nothing is thrown, it is over once, and the body's memory is free", async () => {
    await using test = await TestServer.open();
    for (const url of ["/later/10", `/later/${MIB}`]) {
      const client = await test.client();
      client.send(plain(url));
      await eventually(() => test.later.length).toBe(1);
      client.socket.resetAndDestroy();
      await eventually(() => test.sockets.at(-1)?.destroyed).toBe(true);
      test.later.shift()?.();
      await sleep(20);
      expect(test.visits.at(-1)).toEqual({ url, by: "express", over: 1, taken: 1 });
    }
  });

  it("in the middle of its answer: the same", async () => {
    await using test = await TestServer.open();
    for (const method of ["resetAndDestroy", "destroy"] as const) {
      const client = await test.client();
      client.send(plain(ENDLESS));
      await eventually(() => test.visits.length).toBe(1);
      await sleep(20);
      expect(test.visits[0]?.taken).toBe(0);
      client.socket[method]();
      await eventually(() => test.sockets.at(-1)?.destroyed).toBe(true);
      await sleep(20);
      expect(test.visits.pop()).toEqual({ url: ENDLESS, by: "express", over: 1, taken: 1 });
    }
  });

  for (const next of [
    plain("/now/1"),
    plain("/node/1"),
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
  ]) {
    it(`before its answer: what it had sent meanwhile is not begun (${next.split(" HTTP")[0]})`, async () => {
      await using test = await TestServer.open();
      let byNode = 0;
      test.server.on("request", () => {
        byNode += 1;
      });
      const client = await test.client();
      client.send(plain("/later/10"));
      await eventually(() => test.later.length).toBe(1);
      client.send(next);
      await eventually(() => test.sockets[0]?.bytesRead).toBe(plain("/later/10").length + next.length);
      client.socket.resetAndDestroy();
      await eventually(() => test.sockets[0]?.closed).toBe(true);
      test.later.shift()?.();
      await sleep(20);
      // Node's server would never be told that the connection is closed: it would keep it for ever, and log nothing.
      expect(byNode).toBe(0);
      expect(test.visits).toEqual([{ url: "/later/10", by: "express", over: 1, taken: 1 }]);
    });
  }
});
