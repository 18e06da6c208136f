import { describe, expect, it } from "vitest";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { headerOf, RawClient, requestText } from "./raw-client.ts";

const LIST = "/api/v2/database/list";
const DOWNLOAD = "/api/v2/database/download?id=x_v1&format=mmdb";
/** More than the socket buffers of both sides hold. */
const LARGE_BYTES = 32 * 1024 * 1024;

const [stage] = stages() as [Stage];

/** Delays downloads until `release` is called. */
function holdDownload({ service }: TestService) {
  const { history } = service.services;
  const record = history.record.bind(history);
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  history.record = async (attempt) => {
    arrived.resolve();
    await released.promise;
    await record(attempt);
  };
  return { arrived: arrived.promise, release: () => released.resolve() };
}

describe("Closing the service", () => {
  it("closes idle connections, used or unused", async () => {
    const test = await testService(stage);
    const [unused, used] = [await RawClient.open(test.service.apiUrl), await RawClient.open(test.service.apiUrl)];
    expect((await used.send(requestText(LIST)).response()).status).toBe(401);
    await test.dispose();
    expect([await unused.rest(), await used.rest()]).toEqual(["", ""]);
  });

  it("closes unused connections without waiting for in-flight responses", async () => {
    const test = await testService(stage);
    const acme = await test.operator.customer("Acme");
    const held = holdDownload(test);
    const unused = await RawClient.open(acme.apiUrl);
    const client = await RawClient.open(acme.apiUrl);
    client.send(requestText(DOWNLOAD, { headers: `Authorization: Bearer ${acme.key}\r\n` }));
    await held.arrived;
    const closed = test.service.close();
    expect(await unused.rest()).toBe("");
    held.release();
    expect((await client.response()).status).toBe(404);
    await closed;
  });

  it("finishes an in-flight response with Connection: close and then closes the connection", async () => {
    const test = await testService(stage);
    const acme = await test.operator.customer("Acme");
    const held = holdDownload(test);
    const unused = await RawClient.open(acme.apiUrl);
    const client = await RawClient.open(acme.apiUrl);
    client.send(requestText(DOWNLOAD, { headers: `Authorization: Bearer ${acme.key}\r\n` }));
    await held.arrived;
    const closed = test.service.close();
    await unused.rest();
    held.release();
    const response = await client.response();
    expect([response.status, headerOf(response, "connection")]).toEqual([404, "close"]);
    expect(await client.rest()).toBe("");
    await closed;
  });

  it("finishes sending a large file to a slow client", async () => {
    const test = await testService(stage);
    const acme = await test.operator.customer("Acme");
    await test.operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
    await test.operator.grant("Acme", "vpn_ip");
    await test.operator.publish("vpn_ip_v1", "x".repeat(LARGE_BYTES));
    const unused = await RawClient.open(acme.apiUrl);
    const client = await RawClient.open(acme.apiUrl);
    const path = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
    client.send(requestText(path, { headers: `Authorization: Bearer ${acme.key}\r\n` }));
    await new Promise((resolve) => client.socket.once("readable", resolve));
    const closed = test.service.close();
    await unused.rest();
    const { status, body } = await client.response();
    expect([status, body.length]).toEqual([200, LARGE_BYTES + "mmdb ".length]);
    expect(await client.rest()).toBe("");
    await closed;
  });
});
