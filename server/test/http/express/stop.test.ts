import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ask, ENDLESS, eventually, expectAnswer, MIB } from "./asking.ts";
import { headerOf, plain, type RawAnswer } from "./raw-client.ts";
import { TestServer } from "./test-server.ts";

describe("a server that stops", () => {
  const stop = (test: TestServer) => new Promise((resolve) => test.server.close(resolve));

  it("closes idle connections at once, new ones and used ones, in the lane and at Node's", async () => {
    await using test = await TestServer.open();
    const clients = await Promise.all([test.client(), test.client(), test.client()]);
    const [, used, atNode] = clients;
    await ask(used, "/now/1");
    await ask(atNode, "/node/1", "node");
    await eventually(() => test.sockets.length).toBe(3);
    await stop(test);
    for (const client of clients) expect(await client.rest()).toBe("");
  });

  for (const url of ["/later/10", `/later/${5 * MIB}`]) {
    it(`lets an answer under way out (${url}), and then the connection ends`, async () => {
      await using test = await TestServer.open();
      const client = await test.client();
      client.send(plain(url));
      await eventually(() => test.later.length).toBe(1);
      const stopped = stop(test);
      test.later.shift()?.();
      expectAnswer(await client.answer(), url, "express");
      expect(await client.rest()).toBe("");
      await stopped;
    });
  }

  it("lets an answer under way out of Node's server too", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    await ask(client, "/now/1");
    client.send(plain("/later/10", { headers: "TE: trailers\r\n" }));
    await eventually(() => test.later.length).toBe(1);
    const stopped = stop(test);
    test.later.shift()?.();
    expectAnswer(await client.answer(), "/later/10", "node");
    client.socket.end();
    await stopped;
  });

  it("lets a long answer out to a slow reader, and then the connection ends", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    client.send(plain(ENDLESS));
    await eventually(() => test.visits.length).toBe(1);
    const stopped = stop(test);
    await sleep(50);
    expectAnswer(await client.answer(), ENDLESS, "express");
    expect(await client.rest()).toBe("");
    await stopped;
  });

  it("says Connection: close in an answer that was under way", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    client.send(plain("/later/10"));
    await eventually(() => test.later.length).toBe(1);
    const stopped = stop(test);
    test.later.shift()?.();
    const answer = await client.answer();
    expect(await client.rest()).toBe("");
    await stopped;
    expect([headerOf(answer, "connection"), headerOf(answer, "keep-alive")]).toEqual(["close", undefined]);
  });

  it("answers what came before the end, says Connection: close with the last, and nothing comes behind", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    client.send(plain("/later/10"));
    await eventually(() => test.later.length).toBe(1);
    client.send(plain("/now/20"));
    await eventually(() => test.sockets[0]?.bytesRead).toBe(plain("/later/10").length + plain("/now/20").length);
    const stopped = stop(test);
    test.later.shift()?.();
    const answers = [await client.answer()];
    // One of them is the last: the client asks again for what came behind it.
    if (headerOf(answers[0] as RawAnswer, "connection") !== "close") answers.push(await client.answer());
    expect(headerOf(answers.at(-1) as RawAnswer, "connection")).toBe("close");
    expect(await client.rest()).toBe("");
    await stopped;
  });

  it("begins no request that comes behind the last answer", async () => {
    await using test = await TestServer.open();
    const client = await test.client();
    client.send(plain("/later/10"));
    await eventually(() => test.later.length).toBe(1);
    const stopped = stop(test);
    // The client has not heard yet that it was the last.
    test.later.shift()?.();
    client.send(plain("/now/20"));
    await client.answer();
    await client.rest();
    client.socket.destroy();
    await stopped;
    expect(test.visits.map(({ url }) => url)).toEqual(["/later/10"]);
  });

  it("closes all connections when it is told to, also those that are being answered", async () => {
    await using test = await TestServer.open();
    const open = () => test.client();
    const [, used, waiting, reading, atNode] = await Promise.all([open(), open(), open(), open(), open()]);
    await ask(used, "/now/1");
    waiting.send(plain("/later/10"));
    reading.send(plain(ENDLESS));
    atNode.send(plain("/later/20", { headers: "TE: trailers\r\n" }));
    await eventually(() => test.visits.length).toBe(4);
    const stopped = stop(test);
    test.server.closeAllConnections();
    await stopped;
    expect([await waiting.rest(), await atNode.rest()]).toEqual(["", ""]);
    for (const answer of test.later) answer();
    await eventually(() => test.visits.map(({ over }) => over)).toEqual([1, 1, 1, 1]);
    const byExpress = test.visits.filter(({ by }) => by === "express");
    expect(byExpress.map(({ taken }) => taken)).toEqual([1, 1, 1]);
  });
});
