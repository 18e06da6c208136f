import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Customer } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { headerOf, RawClient, type RawResponse, requestText } from "./raw-client.ts";

const API = "/api/v2/database";
/** Headers that differ between any two responses. */
const VARYING = ["date", "x-request-id", "location"];
/** Polls, because the value may change after the response has arrived. */
const eventually = <T>(value: () => T) => expect.poll(value, { interval: 5 });

const [stage] = stages() as [Stage];

describe("Responses of v2", () => {
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

  async function send(method: string, path: string, headers: string): Promise<RawResponse> {
    const client = await RawClient.open(acme.apiUrl);
    const isHead = method === "HEAD";
    const response = await client.send(requestText(path, { method, headers })).response({ isHead });
    client.socket.end();
    expect(await client.rest()).toBe("");
    return response;
  }

  function stableHeaders({ headers }: RawResponse): [string, string][] {
    return headers
      .map(([name, value]): [string, string] => [name, VARYING.includes(name.toLowerCase()) ? "" : value])
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  function requestLines() {
    const lines = test.logs().split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  }

  const attemptCount = async () => (await test.service.services.store.attempts.list({ limit: 1000 })).length;

  const bearer = () => `Authorization: Bearer ${acme.key}\r\n`;
  const unknownKey = () => acme.key.replace(/^dbd_.{8}/, "dbd_AAAAAAAA");
  const CASES: [name: string, status: number, path: () => string, headers: () => string][] = [
    ["list", 200, () => "/list", bearer],
    ["list, unchanged", 304, () => "/list", () => `${bearer()}If-None-Match: *\r\n`],
    ["list, key in X-Api-Key", 200, () => "/list", () => `X-Api-Key: ${acme.key}\r\n`],
    ["list, key in apikey", 200, () => `/list?apikey=${acme.key}`, () => ""],
    ["list, no key", 401, () => "/list", () => ""],
    ["list, another scheme", 401, () => "/list", () => "Authorization: Basic dXNlcjpwYXNz\r\n"],
    ["list, malformed key", 401, () => "/list", () => "Authorization: Bearer nonsense\r\n"],
    ["list, unknown key", 401, () => `/list?apikey=${unknownKey()}`, () => ""],
    ["list, apikey twice", 401, () => `/list?apikey=${acme.key}&apikey=${acme.key}`, () => ""],
    ["list, percent-encoded", 200, () => "/li%73t", bearer],
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
    ["download, stream", 200, () => "/download?id=vpn_ip_v1&format=mmdb&delivery=stream", bearer],
    ["download, bad format", 400, () => "/download?id=vpn_ip_v1", bearer],
    ["download, unknown id", 404, () => "/download?id=%ff%00&format=mmdb", bearer],
    ["download, not licensed", 403, () => "/download?id=bogon_ip_v1&format=mmdb", bearer],
    ["download, not published", 503, () => "/download?id=tor_ip_v1&format=mmdb", bearer],
    ["download, no key", 401, () => "/download?id=vpn_ip_v1&format=mmdb", () => ""],
    ["history", 200, () => "/downloads", bearer],
    ["history, a page", 200, () => "/downloads?limit=2", bearer],
    ["history, no key", 401, () => "/downloads", () => ""],
  ];

  for (const [name, status, path, headers] of CASES) {
    it(`have the same status and headers for HEAD as for GET, and no body: ${name}`, async () => {
      // Another attempt may add a row to the history between the two requests.
      const isStable = !name.startsWith("history");
      const get = await send("GET", API + path(), headers());
      const head = await send("HEAD", API + path(), headers());
      expect([get.status, head.status]).toEqual([status, status]);
      expect(get.body.length > 0).toBe(status !== 302 && status !== 304);
      expect(head.body.length).toBe(0);
      if (isStable) expect(stableHeaders(head)).toEqual(stableHeaders(get));
      expect(headerOf(get, "x-request-id")).not.toBe(headerOf(head, "x-request-id"));
    });

    it(`write one log line, and one history row for a download: ${name}`, async () => {
      const linesBefore = requestLines().length;
      const rowsBefore = await attemptCount();
      const response = await send("GET", API + path(), headers());
      await eventually(() => requestLines().length).toBe(linesBefore + 1);
      const line = requestLines().at(-1);
      expect(line).toMatchObject({ method: "GET", status, ms: expect.any(Number), client_ip: "127.0.0.1" });
      expect(line.request_id).toBe(headerOf(response, "x-request-id"));
      expect(line.organization).toBe(status === 401 ? null : acme.organizationId);
      expect(line.key).toBe(status === 401 ? null : acme.key.slice(0, 12));
      expect(Object.hasOwn(line, "refused")).toBe(status === 401);
      expect(line).not.toHaveProperty("cut_off");
      expect((await attemptCount()) - rowsBefore).toBe(name.startsWith("download") ? 1 : 0);
    });
  }

  it("are logged as cut off if the client disconnects, and the attempt is recorded", async () => {
    const { history } = test.service.services;
    const record = history.record.bind(history);
    const linesBefore = requestLines().length;
    const rowsBefore = await attemptCount();
    const client = await RawClient.open(acme.apiUrl);
    const isGone = Promise.withResolvers<void>();
    const isRecording = Promise.withResolvers<void>();
    vi.spyOn(history, "record").mockImplementationOnce(async (...attempt) => {
      isRecording.resolve();
      await isGone.promise;
      await record(...attempt);
    });
    client.send(requestText(`${API}/download?id=vpn_ip_v1&format=mmdb`, { headers: bearer() }));
    await isRecording.promise;
    client.socket.resetAndDestroy();
    await eventually(() => requestLines().length).toBe(linesBefore + 1);
    expect(requestLines().at(-1)).toMatchObject({ method: "GET", status: null, cut_off: true });
    isGone.resolve();
    await eventually(attemptCount).toBe(rowsBefore + 1);
  });

  it("are not logged with DBDEPOT_ACCESS_LOG=off, neither by the API nor by the gateway", async () => {
    const silent = await testService(stage, { DBDEPOT_ACCESS_LOG: "off" });
    const { operator } = silent;
    const bolt = await operator.customer("Bolt");
    await operator.addDatabase("vpn_ip_v1");
    await operator.grant("Bolt", "vpn_ip");
    await operator.publish("vpn_ip_v1");
    const redirect = await bolt.download("vpn_ip_v1", "mmdb");
    expect(redirect.status).toBe(302);
    expect((await fetch(redirect.headers.get("location") ?? "")).status).toBe(200);
    await silent.dispose();
    expect(silent.logs()).not.toMatch(/"msg":"(gateway )?request"/);
  });

  it("have status 500 and omit the header if a header would contain a line break", async () => {
    const { objects } = test.service.services;
    const link = vi.spyOn(objects, "link").mockReturnValue("http://x/\r\nSet-Cookie: a=b");
    const response = await send("GET", `${API}/download?id=vpn_ip_v1&format=mmdb`, bearer());
    expect([response.status, response.body.toString()]).toEqual([500, '{"rc":"INTERNAL"}']);
    expect(response.headers.map(([name]) => name.toLowerCase())).not.toContain("set-cookie");
    expect(headerOf(response, "x-request-id")).toMatch(/\S/);
    expect(headerOf(response, "etag")).toBeUndefined();
    link.mockRestore();
  });
});
