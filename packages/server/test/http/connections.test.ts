import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { headerOf, RawClient, requestText } from "./raw-client.ts";

const LIST = "/api/v2/database/list";
const METADATA = "/api/v2/database/metadata?id=vpn_ip_v1";
const DOWNLOAD = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb";

const [stage] = stages() as [Stage];

describe("HTTP connection", () => {
  let test: TestService;
  let acme: Customer;
  let headers: string;

  beforeAll(async () => {
    test = await testService(stage);
    acme = await test.operator.customer("Acme");
    await test.operator.addDatabase("vpn_ip_v1");
    await test.operator.grant("Acme", "vpn_ip");
    await test.operator.publish("vpn_ip_v1");
    headers = `Authorization: Bearer ${acme.key}\r\n`;
  });
  afterAll(() => test.dispose());

  const open = () => RawClient.open(acme.apiUrl);
  const get = (path: string) => requestText(path, { headers });

  it("serves consecutive requests and announces its keep-alive timeout", async () => {
    const client = await open();
    for (const [path, status] of [
      [LIST, 200],
      [DOWNLOAD, 302],
      ["/nope", 404],
      [METADATA, 200],
    ] as const) {
      const response = await client.send(get(path)).response();
      expect(response.status).toBe(status);
      expect([headerOf(response, "connection"), headerOf(response, "keep-alive")]).toEqual([
        "keep-alive",
        "timeout=72",
      ]);
    }
    client.socket.destroy();
  });

  it("answers pipelined requests in order", async () => {
    const client = await open();
    client.send([DOWNLOAD, LIST, "/nope", METADATA].map(get).join(""));
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await client.response()).status);
    expect(statuses).toEqual([302, 200, 404, 200]);
    client.socket.destroy();
  });

  it("answers a request that arrives in two packets", async () => {
    const text = get(DOWNLOAD);
    for (const cut of [1, 10, text.length - 3, text.length - 1]) {
      const client = await open();
      client.send(text.slice(0, cut));
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await client.send(text.slice(cut)).response()).status).toBe(302);
      client.socket.destroy();
    }
  });

  it("closes after the response to Connection: close and HTTP/1.0 requests", async () => {
    for (const text of [
      requestText(LIST, { headers: `${headers}Connection: close\r\n` }),
      `GET ${LIST} HTTP/1.0\r\nHost: x\r\n${headers}\r\n`,
      `GET ${LIST} HTTP/1.0\r\n${headers}\r\n`,
    ]) {
      const client = await open();
      expect((await client.send(get(METADATA)).response()).status).toBe(200);
      const response = await client.send(text).response();
      expect([response.status, headerOf(response, "connection")]).toEqual([200, "close"]);
      expect(await client.rest()).toBe("");
    }
  });

  it("accepts 16 KiB of headers and returns 431 for more", async () => {
    const padded = (bytes: number) => requestText(LIST, { headers: `${headers}a: ${"x".repeat(bytes)}\r\n` });
    const ok = await open();
    expect((await ok.send(padded(15 * 1024)).response()).status).toBe(200);
    ok.socket.destroy();
    const response = await (await open()).send(padded(17 * 1024)).response();
    expect([response.status, response.body.toString()]).toEqual([431, '{"rc":"HEADERS_TOO_LARGE"}']);
    expect(headerOf(response, "x-request-id")).toMatch(/\S/);
  });

  it("returns 400 or 431 for malformed requests and closes, also after earlier requests", async () => {
    for (const [text, status, rc] of [
      [requestText(LIST, { headers: `a: ${"x".repeat(17 * 1024)}\r\n` }), 431, "HEADERS_TOO_LARGE"],
      [requestText(`${LIST}?${"x".repeat(17 * 1024)}`), 431, "HEADERS_TOO_LARGE"],
      ["nonsense\r\n\r\n", 400, "BAD_REQUEST"],
      [requestText(LIST, { headers: "a : b\r\n" }), 400, "BAD_REQUEST"],
      [requestText(LIST, { headers: "a: b\n\r\n" }), 400, "BAD_REQUEST"],
    ] as const) {
      for (const isUsed of [false, true]) {
        const client = await open();
        if (isUsed) expect((await client.send(get(METADATA)).response()).status).toBe(200);
        const response = await client.send(text).response();
        expect([response.status, JSON.parse(response.body.toString())]).toEqual([status, { rc }]);
        expect(headerOf(response, "x-request-id")).toMatch(/\S/);
        expect(await client.rest()).toBe("");
      }
    }
  });

  it("closes without corrupting the file if a malformed request arrives during a transfer", async () => {
    const content = "x".repeat(32 * 1024 * 1024);
    await test.operator.addDatabase("large_ip_v1", { formats: ["mmdb"] });
    await test.operator.grant("Acme", "large_ip");
    await test.operator.publish("large_ip_v1", content);
    const client = await open();
    client.send(get("/api/v2/database/download?id=large_ip_v1&format=mmdb&delivery=stream"));
    await new Promise((resolve) => client.socket.once("readable", resolve));
    client.send("nonsense\r\n\r\n");
    const received = await client.rest();
    const body = received.slice(received.indexOf("\r\n\r\n") + 4);
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(body.length).toBeLessThan(content.length);
    expect(body).toBe(`mmdb ${content}`.slice(0, body.length));
  });

  it("decodes percent-encoded paths and returns 404 for paths that differ from the route", async () => {
    for (const [path, status] of [
      ["/api/v2/database/li%73t", 200],
      ["/api/v2/database/list/", 404],
      ["/api/v2/database/List", 404],
      ["/api/v2/database/list%", 404],
      ["/api/v2/database/%ff", 404],
      [`/api/v1/iam/apikeys/${"x".repeat(3000)}`, 405],
    ] as const) {
      const client = await open();
      const response = await client.send(get(path)).response();
      expect([path, response.status]).toEqual([path, status]);
      client.socket.destroy();
    }
  });

  it("returns 405 with Allow for unsupported methods and 404 for unknown paths", async () => {
    for (const method of ["POST", "DELETE", "OPTIONS", "PROPFIND", "QUERY", "TRACE"]) {
      const client = await open();
      const response = await client.send(requestText(LIST, { method })).response();
      expect([method, response.status, headerOf(response, "allow")]).toEqual([method, 405, "GET, HEAD"]);
      const unknown = await client.send(requestText("/nope", { method })).response();
      expect([method, unknown.status, unknown.body.toString()]).toEqual([method, 404, '{"rc":"NOT_FOUND"}']);
      client.socket.destroy();
    }
    const client = await open();
    const keys = await client.send(requestText("/api/v1/iam/apikeys", { method: "PUT" })).response();
    expect(headerOf(keys, "allow")).toBe("POST, GET, HEAD");
    client.socket.destroy();
  });

  it("redirects repeated slashes to the normalized path and keeps the query", async () => {
    const client = await open();
    for (const [path, location] of [
      ["//api/v2/database/metadata?id=a&b=//c", "/api/v2/database/metadata?id=a&b=//c"],
      ["/api//v2///database/list", "/api/v2/database/list"],
      ["//", "/"],
    ] as const) {
      for (const method of ["GET", "POST"]) {
        const response = await client.send(requestText(path, { method, headers })).response();
        expect([path, response.status, headerOf(response, "location")]).toEqual([path, 308, location]);
      }
    }
    // Only known paths are redirected, so a request cannot be redirected to another host.
    for (const path of ["//elsewhere.example/", "//elsewhere.example", "/%2f/elsewhere.example"]) {
      expect((await client.send(get(path)).response()).status).toBe(404);
    }
    client.socket.destroy();
  });
});
