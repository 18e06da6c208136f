import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { TIMEOUTS } from "../../src/http/app.ts";
import { headerOf, RawClient, requestText } from "./raw-client.ts";

const SHORT_MS = 500;
const KEYS = "/api/v1/iam/apikeys";
const [stage] = stages() as [Stage];

/** Sends a byte every 50 ms until the server closes the connection. */
function trickle({ socket }: RawClient): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => socket.write("x"), 50);
    socket.on("error", () => {});
    socket.once("close", () => {
      clearInterval(timer);
      resolve();
    });
    socket.resume();
  });
}

describe("HTTP timeouts", () => {
  let test: TestService;
  let acme: Customer;

  beforeAll(async () => {
    const timeouts = { ...TIMEOUTS, bodyMs: SHORT_MS, stalledMs: SHORT_MS, unreadBodyMs: SHORT_MS };
    test = await testService(stage, {}, { timeouts });
    acme = await test.operator.customer("Acme", { scopes: ["db.download", "apikeys.manage"] });
    await test.operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
    await test.operator.grant("Acme", "vpn_ip");
    await test.operator.publish("vpn_ip_v1", "x".repeat(32 * 1024 * 1024));
  });
  afterAll(() => test.dispose());

  const bearer = () => `Authorization: Bearer ${acme.key}\r\n`;

  it("end a transfer if the client reads nothing, and log it as cut off", async () => {
    const client = await RawClient.open(acme.apiUrl);
    const path = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
    client.send(requestText(path, { headers: bearer() }));
    await expect
      .poll(() => test.logs())
      .toMatch(/"route":"\/api\/v2\/database\/download","status":200.*"cut_off":true/);
    client.socket.destroy();
  });

  it("return 408 for a JSON body that does not arrive in time, even if it arrives steadily", async () => {
    const client = await RawClient.open(acme.apiUrl);
    const headers = `${bearer()}Content-Type: application/json\r\nContent-Length: 60000\r\n`;
    client.send(requestText(KEYS, { method: "POST", headers }));
    const timer = setInterval(() => client.socket.write(" "), 50);
    client.socket.on("error", () => {});
    const response = await client.response();
    clearInterval(timer);
    expect([response.status, response.body.toString()]).toEqual([408, '{"rc":"REQUEST_TIMEOUT"}']);
    expect(headerOf(response, "connection")).toBe("close");
    await client.rest();
    expect(test.logs()).not.toContain("unexpected error");
  });

  it.each([
    ["an unknown path", "PUT", "/nope", 404],
    ["a wrong method", "PUT", "/api/v2/database/list", 405],
    ["a refused key", "POST", KEYS, 401],
    ["a refused upload", "PUT", "/api/operator/builds/x/files/mmdb", 401],
    ["a request that needs no body", "GET", "/docs", 200],
  ])("close a connection that keeps sending a body the server does not read: %s", async (_, method, path, status) => {
    const client = await RawClient.open(acme.apiUrl);
    client.send(requestText(path, { method, headers: "Content-Length: 1000000000\r\n" }));
    expect((await client.response()).status).toBe(status);
    await trickle(client);
  });

  it("keep a connection open after an unread body was sent completely", async () => {
    const client = await RawClient.open(acme.apiUrl);
    for (let i = 0; i < 2; i += 1) {
      client.send(`${requestText("/nope", { method: "PUT", headers: "Content-Length: 5\r\n" })}hello`);
      expect((await client.response()).status).toBe(404);
    }
    client.socket.destroy();
  });

  it("do not affect requests whose body is empty, refused or read in time", async () => {
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.on("uncaughtException", onUncaught);
    const admin = await test.operator.colleague(acme, { scopes: ["apikeys.manage"] });
    const rotate = async (headers: Record<string, string>, body?: string) => {
      const authorization = `Bearer ${admin.key}`;
      const url = `${acme.apiUrl}${KEYS}/${acme.keyId}/rotate`;
      const init = { method: "POST", headers: { authorization, ...headers }, ...(body !== undefined && { body }) };
      return (await call(url, init)).status;
    };
    const json = { "content-type": "application/json" };
    expect(await rotate({})).toBe(200);
    expect(await rotate(json)).toBe(200);
    expect(await rotate(json, "{}")).toBe(200);
    expect(await rotate(json, " ".repeat(70_000))).toBe(413);
    expect(await rotate({}, "text")).toBe(415);
    await new Promise((resolve) => setTimeout(resolve, 2 * SHORT_MS));
    process.off("uncaughtException", onUncaught);
    expect(uncaught).toEqual([]);
  });
});
