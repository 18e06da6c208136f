import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ExpressOutlet } from "../../../src/http/express/outlet.ts";
import type { Customer } from "../../customer.ts";
import { type Stage, stages } from "../../stages.ts";
import { type TestService, testService } from "../../test-service.ts";
import { headerOf, plain, type RawAnswer, RawClient } from "./raw-client.ts";

/** What differs between any two answers. */
const OF_THE_MOMENT = ["date", "x-request-id"];
const OF_THE_CONNECTION = ["connection", "keep-alive"];

const toExpress = vi.spyOn(ExpressOutlet.prototype, "onOver");
/** Until it holds; the machine may be busy. */
const eventually = <T>(value: () => T) => expect.poll(value, { timeout: 15_000, interval: 5 });

/** SQLite: where the rows go has nothing to do with the way of the answer. */
const [stage] = stages() as [Stage];

describe("the express lane and Node's way", () => {
  let test: TestService;
  let acme: Customer;

  beforeAll(async () => {
    test = await testService(stage);
    const { operator } = test;
    acme = await operator.customer("Acme");
    for (const id of ["vpn_ip_v1", "bogon_ip_v1", "tor_ip_v1"]) await operator.addDatabase(id);
    for (const base of ["vpn_ip", "tor_ip"]) await operator.grant("Acme", base);
    await operator.publish("vpn_ip_v1");
  });
  afterAll(() => test.dispose());
  beforeEach(() => {
    toExpress.mockClear();
  });

  async function ask(method: string, path: string, headers: string): Promise<RawAnswer> {
    const client = await RawClient.open(acme.apiUrl);
    const answer = await client.send(plain(path, { method, headers })).answer({ isHead: method === "HEAD" });
    client.socket.end();
    expect(await client.rest()).toBe("");
    return answer;
  }

  /** By the lane, by Node on a connection that stays (TE is for Node to read), and by Node on one that ends. */
  async function askByAllWays(method: string, path: string, headers: string) {
    const express = await ask(method, path, headers);
    expect(toExpress).toHaveBeenCalledTimes(1);
    const kept = await ask(method, path, `${headers}TE: trailers\r\n`);
    const closed = await ask(method, path, `${headers}Connection: close\r\n`);
    expect(toExpress).toHaveBeenCalledTimes(1);
    return { express, kept, closed };
  }

  /** In order of their names: the lane puts the date and the connection first, Node last, which says nothing. */
  function without(answer: RawAnswer, names: readonly string[]): RawAnswer {
    const headers = answer.headers
      .map(([name, value]): [string, string] => [name, names.includes(name.toLowerCase()) ? "" : value])
      .sort(([one], [other]) => (one < other ? -1 : 1));
    return { ...answer, headers };
  }

  const unconnected = (answer: RawAnswer): RawAnswer => ({
    ...answer,
    headers: answer.headers.filter(([name]) => !OF_THE_CONNECTION.includes(name.toLowerCase())),
  });

  const requestLines = () => {
    const lines = test.logs().split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  };

  const bearer = () => `Authorization: Bearer ${acme.key}\r\n`;
  const API = "/api/v2/database";
  const CASES: [name: string, status: number, path: () => string, headers: () => string][] = [
    ["list", 200, () => "/list", bearer],
    ["list, once more", 200, () => "/list", bearer],
    ["list, key in X-Api-Key", 200, () => "/list", () => `X-Api-Key: ${acme.key}\r\n`],
    ["list, key in apikey", 200, () => `/list?apikey=${acme.key}`, () => ""],
    ["list, no key", 401, () => "/list", () => ""],
    ["list, another scheme", 401, () => "/list", () => "Authorization: Basic dXNlcjpwYXNz\r\n"],
    ["list, a key that is none", 401, () => "/list", () => "Authorization: Bearer nonsense\r\n"],
    [
      "list, a key that nobody has",
      401,
      () => `/list?apikey=${acme.key.replace(/^dbd_.{8}/, "dbd_AAAAAAAA")}`,
      () => "",
    ],
    ["list, apikey twice", 401, () => `/list?apikey=${acme.key}&apikey=${acme.key}`, () => ""],
    ["list by another spelling", 200, () => "/li%73t", bearer],
    ["metadata", 200, () => "/metadata?id=vpn_ip_v1", bearer],
    ["metadata, unchanged", 304, () => "/metadata?id=vpn_ip_v1", () => `${bearer()}If-None-Match: *\r\n`],
    ["metadata, unknown id", 404, () => "/metadata?id=nope_v1", bearer],
    ["metadata, unknown pinned build", 404, () => "/metadata?id=vpn_ip_v1&build=nope", bearer],
    ["metadata, not published", 503, () => "/metadata?id=tor_ip_v1", bearer],
    ["metadata, no key", 401, () => "/metadata?id=vpn_ip_v1", () => ""],
    ["checksum", 200, () => "/checksum?id=vpn_ip_v1&format=mmdb", bearer],
    ["checksum, unchanged", 304, () => "/checksum?id=vpn_ip_v1&format=mmdb", () => `${bearer()}If-None-Match: *\r\n`],
    ["checksum, bad format", 400, () => "/checksum?id=vpn_ip_v1&format=zip", bearer],
    ["download", 302, () => "/download?id=vpn_ip_v1&format=mmdb", bearer],
    ["download, bad format", 400, () => "/download?id=vpn_ip_v1", bearer],
    ["download, unknown id", 404, () => "/download?id=%ff%00&format=mmdb", bearer],
    ["download, not licensed", 403, () => "/download?id=bogon_ip_v1&format=mmdb", bearer],
    ["download, not published", 503, () => "/download?id=tor_ip_v1&format=mmdb", bearer],
    ["download, no key", 401, () => "/download?id=vpn_ip_v1&format=mmdb", () => ""],
    ["downloads", 200, () => "/downloads", bearer],
    ["downloads, a page", 200, () => "/downloads?limit=2", bearer],
    ["downloads, no key", 401, () => "/downloads", () => ""],
  ];

  for (const [name, status, path, headers] of CASES) {
    for (const method of ["GET", "HEAD"]) {
      it(`answer and log the same: ${method} ${name}`, async () => {
        const before = requestLines().length;
        const rowsBefore = (await test.service.parts.store.attempts.list({ limit: 1000 })).length;
        const { express, kept, closed } = await askByAllWays(method, API + path(), headers());
        expect(express.status).toBe(status);
        expect(express.body.length > 0).toBe(method === "GET" && status !== 302 && status !== 304);
        expect(without(express, OF_THE_MOMENT)).toEqual(without(kept, OF_THE_MOMENT));
        expect(unconnected(without(express, OF_THE_MOMENT))).toEqual(unconnected(without(closed, OF_THE_MOMENT)));
        expect(new Set([express, kept, closed].map((answer) => headerOf(answer, "x-request-id"))).size).toBe(3);

        await eventually(() => requestLines().length).toBe(before + 3);
        const lines = requestLines().slice(before);
        expect(lines.map((line) => line.request_id)).toEqual(
          [express, kept, closed].map((answer) => headerOf(answer, "x-request-id")),
        );
        const [first, ...others] = lines.map((line) => ({ ...line, time: "", ms: typeof line.ms, request_id: "" }));
        expect(first).toMatchObject({ method, status, ms: "number" });
        expect(first).not.toHaveProperty("cut_off");
        for (const other of others) expect(Object.entries(other)).toEqual(Object.entries(first));

        const rows = await test.service.parts.store.attempts.list({ limit: 1000 });
        const fresh = rows.slice(0, rows.length - rowsBefore).map((row) => ({ ...row, id: "" }));
        expect(fresh).toHaveLength(name.startsWith("download") && !name.startsWith("downloads") ? 3 : 0);
        for (const row of fresh) expect(row).toEqual(fresh[0]);
      });
    }
  }

  it("leave to Node what is sent in pieces, what has no route, and what is not asked for by GET", async () => {
    for (const [method, path] of [
      ["GET", "/download?id=vpn_ip_v1&format=mmdb&delivery=stream"],
      ["GET", "/nope"],
      ["GET", "/lis%"],
      ["POST", "/list"],
    ] as const) {
      const answer = await ask(method, API + path, bearer());
      expect([path, answer.status]).toEqual([path, path === "/list" ? 405 : path.startsWith("/download") ? 200 : 404]);
    }
    expect(toExpress).not.toHaveBeenCalled();
  });

  it("log a client that went away as cut off, either way", async () => {
    const { history } = test.service.parts;
    const record = history.record.bind(history);
    for (const headers of [bearer(), `${bearer()}TE: trailers\r\n`]) {
      const before = requestLines().length;
      const client = await RawClient.open(acme.apiUrl);
      const isGone = Promise.withResolvers<void>();
      const isAsked = Promise.withResolvers<void>();
      vi.spyOn(history, "record").mockImplementationOnce(async (...attempt) => {
        isAsked.resolve();
        await isGone.promise;
        await record(...attempt);
      });
      client.send(plain(`${API}/download?id=vpn_ip_v1&format=mmdb`, { headers }));
      await isAsked.promise;
      client.socket.resetAndDestroy();
      await new Promise((resolve) => setTimeout(resolve, 50));
      isGone.resolve();
      await eventually(() => requestLines().length).toBe(before + 1);
      expect(requestLines().at(-1)).toMatchObject({ method: "GET", status: null, cut_off: true });
    }
  });

  it("answer 500 where a header would have the end of a line, and nothing of it leaves", async () => {
    const { objects } = test.service.parts;
    const link = vi.spyOn(objects, "link").mockReturnValue("http://x/\r\nSet-Cookie: a=b");
    for (const headers of [bearer(), `${bearer()}TE: trailers\r\n`]) {
      const client = await RawClient.open(acme.apiUrl);
      // An address of its own: to those that were asked for within the second there is a link already.
      client.send(plain(`${API}/download?id=vpn_ip_v1&format=mmdb&${Math.random()}`, { headers }));
      const late = setTimeout(() => client.socket.destroy(), 3000);
      const { status, body, headers: given } = await client.answer();
      clearTimeout(late);
      expect([status, body.toString()]).toEqual([500, '{"rc":"INTERNAL"}']);
      expect(given.map(([name]) => name.toLowerCase())).not.toContain("set-cookie");
    }
    link.mockRestore();
  });
});
