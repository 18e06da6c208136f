import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { revokeKey } from "../../server/src/domain/keys/keys.ts";
import { messageParser, type StreamState } from "../src/api/events.ts";
import { DbdepotClient, type ServiceEvent } from "../src/index.ts";
import { TestDepot } from "./depot.ts";

describe("the parser of event streams", () => {
  const STREAM =
    "\uFEFFretry: 1500\n\n: comment\nid: 1\nevent: a\ndata: one\ndata:two\n\nid\ndata\n\nevent: x\n\nunknown: y\nid: é\ndata: {}\n\n";
  const EXPECTED = [
    { id: "1", event: "a", data: "one\ntwo" },
    { id: "", data: "" },
    { id: "é", data: "{}" },
  ];

  it.each(["\n", "\r\n", "\r"])("follows the standard with line breaks %j, wherever the text is cut", (lineBreak) => {
    const text = STREAM.replaceAll("\n", lineBreak);
    const bytes = new TextEncoder().encode(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), (cuts) => {
        const decoder = new TextDecoder();
        const state: StreamState = {};
        const parse = messageParser(state);
        const ends = [...cuts.toSorted((one, other) => one - other), bytes.length];
        const parts = ends.map((end, i) => decoder.decode(bytes.slice(ends[i - 1] ?? 0, end), { stream: true }));
        const messages = parts.flatMap((part) => parse(part));
        expect(messages).toEqual(EXPECTED);
        expect(state).toEqual({ lastEventId: "é", retryMs: 1500 });
      }),
    );
  });

  it("ignores ids with NUL characters and invalid pauses", () => {
    const state: StreamState = { lastEventId: "7" };
    expect(messageParser(state)("id: a\0b\nretry: soon\nretry: -1\n\n")).toEqual([]);
    expect(state).toEqual({ lastEventId: "7" });
  });

  it("rejects a line or an event that does not end", () => {
    for (const part of ["data:".repeat(200), "data: x\n".repeat(1000)]) {
      const parse = messageParser({});
      expect(() => {
        for (let i = 0; i < 2000; i += 1) parse(part);
      }).toThrow("too large");
    }
  });
});

describe("client.events()", () => {
  let depot: TestDepot;
  beforeAll(async () => {
    depot = await TestDepot.open();
  });
  afterAll(() => depot.dispose());

  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  /** Reads events in the background. */
  function follow(client: DbdepotClient, lastEventId?: string) {
    const abort = new AbortController();
    stops.push(() => abort.abort());
    const received: ServiceEvent[] = [];
    const ended = (async () => {
      for await (const event of client.events({ lastEventId, signal: abort.signal })) received.push(event);
    })().catch((error) => error);
    return { received, ended, types: () => received.map(({ type }) => type), stop: () => abort.abort() };
  }

  /** A server that is not ours. */
  async function serve(respond: (response: ServerResponse, request: number) => void, timeoutMs = 3000) {
    const lastIds: unknown[] = [];
    const server = createServer((request, response) => {
      lastIds.push(request.headers["last-event-id"]);
      respond(response, lastIds.length);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    stops.push(() => server.close().closeAllConnections());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new DbdepotClient({ baseUrl, apiKey: "dbd_x", retryDelayMs: 1, timeoutMs, env: {} });
    return { client, lastIds };
  }

  const event = (id: string) => `id: ${id}\nevent: e\ndata: {"id":"${id}","type":"e","timestamp":"t","data":{}}\n\n`;
  const STREAM = { "content-type": "text/event-stream" };

  it("yields events of the service and can resume", async () => {
    const { operator } = depot.test;
    const first = follow(depot.client());
    await expect.poll(first.types).toContain("reset");
    const licence = await operator.grant("Acme", "vpn_ip");
    await expect.poll(() => first.received.at(-1)).toMatchObject({ type: "licence.granted", data: { id: licence } });
    expect(first.received[0]).toEqual({ id: null, type: "reset", timestamp: null, data: {} });
    const last = first.received.at(-1)?.id ?? "";
    first.stop();
    expect(await first.ended).toMatchObject({ kind: "aborted" });
    await operator.grant("Acme", "vpn_ip");
    const second = follow(depot.client(), last);
    await expect.poll(second.types).toEqual(["licence.granted"]);
    expect(second.received[0]?.id).not.toBe(last);
  });

  it("throws if the key is revoked", async () => {
    const colleague = await depot.test.operator.colleague(depot.customer);
    const { types, ended } = follow(depot.client({ apiKey: colleague.key }));
    await expect.poll(types).toContain("reset");
    await revokeKey(depot.test.operator.operation(), colleague.keyId);
    expect(await ended).toMatchObject({ kind: "unauthorized" });
  });

  it("reconnects with the last id when the stream ends, breaks or is silent", async () => {
    const { client, lastIds } = await serve((response, request) => {
      response.writeHead(200, STREAM).write(`retry: 1\n\n${event(String(request))}id: half`, () => {
        if (request === 1) response.end();
        if (request === 2) setImmediate(() => response.destroy());
      });
    });
    const { received } = follow(client);
    await expect.poll(() => received.map(({ id }) => id).slice(0, 4)).toEqual(["1", "2", "3", "4"]);
    expect(lastIds.slice(0, 4)).toEqual([undefined, "1", "2", "3"]);
  });

  it.each([
    [404, { "content-type": "application/json" }, '{"rc":"NOT_FOUND"}', "not_found"],
    [200, { "content-type": "text/html" }, "<p>Sign in to the network</p>", "server"],
    [200, STREAM, "data: nonsense\n\n", "server"],
    [503, {}, "", "server"],
  ])("throws for a response with status %i and %j", async (status, headers, body, kind) => {
    const { client } = await serve((response) => void response.writeHead(status, headers).end(body));
    expect(await follow(client).ended).toMatchObject({ kind });
  });

  it("throws if no response arrives", async () => {
    const { client, lastIds } = await serve(() => {}, 100);
    expect(await follow(client).ended).toMatchObject({ kind: "timeout" });
    expect(lastIds).toHaveLength(6);
  });
});
