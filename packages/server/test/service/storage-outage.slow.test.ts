import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { UnreliableProxy } from "../../../../rigs/harness/servers/unreliable-proxy.ts";
import { type Customer, call, expectRefusal, type Reply } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { parseS3Url } from "../../src/adapters/objects/s3-url.ts";
import { LegacyCustomer } from "../routes/v1/legacy-customer.ts";

const [, stage] = stages() as [Stage, Stage];
const s3 = inject("s3");
const { endpoint = "http://127.0.0.1:1" } = parseS3Url(s3?.url ?? "s3://none?region=none");

describe("While S3", needs("S3"), () => {
  const proxy = new UnreliableProxy(new URL(endpoint));
  let test: TestService;
  let acme: Customer;
  let legacy: LegacyCustomer;

  beforeAll(async () => {
    const url = new URL(endpoint);
    url.port = String(await proxy.listen());
    const objectsUrl = s3?.url.replace(endpoint, url.origin).replace("?", `/${crypto.randomUUID()}?`) ?? "";
    test = await testService(stage, { DBDEPOT_OBJECTS_URL: objectsUrl });
    acme = await test.operator.customer("Acme");
    await test.operator.addDatabase("vpn_ip_v1");
    await test.operator.grant("Acme", "vpn_ip");
    await test.operator.publish("vpn_ip_v1");
    legacy = new LegacyCustomer(test.service.apiUrl, await test.operator.legacyCustomer(["vpn_ip_v1"], "Acme"));
  });
  afterAll(async () => {
    await test.dispose();
    proxy.close();
  });

  const storageState = async () => (await call(`${acme.apiUrl}/readyz`)).json.storage.state;
  const streamed = () => acme.download("vpn_ip_v1", "mmdb", "&delivery=stream");

  async function expectOnlyFilesMissing(): Promise<void> {
    expect((await acme.list()).status).toBe(200);
    expect((await acme.metadata("vpn_ip_v1")).status).toBe(200);
    expect((await acme.checksum("vpn_ip_v1", "mmdb")).status).toBe(200);
    expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
    for (const reply of await Promise.all([streamed(), legacy.download("vpn_ip_v1", "mmdb")])) {
      expectRetryLater(reply);
    }
    await expect.poll(storageState).toBe("unreachable");
    expect((await call(`${acme.apiUrl}/readyz`)).status).toBe(200);
    const [one, other, link] = await acme.history("?limit=3");
    for (const row of [one, other])
      expect(row).toMatchObject({ outcome: "unavailable", http_status: 503, bytes: null });
    expect(link).toMatchObject({ outcome: "ok", http_status: 302 });
  }

  async function expectFiles(): Promise<void> {
    expect((await streamed()).text).toBe("mmdb content of vpn_ip_v1");
    expect((await legacy.download("vpn_ip_v1", "mmdb")).text).toBe("mmdb content of vpn_ip_v1");
    await expect.poll(storageState).toBe("ok");
  }

  it("is slow, every download works", async () => {
    proxy.mode = "slow";
    await expectFiles();
    expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
    proxy.mode = "forward";
  });

  it("is stopped, links and polling work, streams and v1 return 503, and it recovers", async () => {
    await expectFiles();
    proxy.close();
    await expectOnlyFilesMissing();
    await proxy.listen();
    await expectFiles();
  });

  it.each([500, 503] as const)(
    "answers %i, links and polling work, streams and v1 return 503, and it recovers",
    async (status) => {
      proxy.mode = `http ${status}`;
      await expectOnlyFilesMissing();
      proxy.mode = "forward";
      await expectFiles();
    },
  );

  it("truncates files, no stream looks complete, and it recovers", async () => {
    await expectFiles();
    proxy.mode = "truncate";
    for (const download of [streamed, () => legacy.download("vpn_ip_v1", "mmdb")]) {
      const status = await download().then(
        (reply) => reply.status,
        () => "connection closed",
      );
      expect(["connection closed", 503]).toContain(status);
    }
    expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
    proxy.mode = "forward";
    await expectFiles();
  });

  it("never answers, links and polling work, streams and v1 return 503, and it recovers", async () => {
    proxy.mode = "hang";
    await expectOnlyFilesMissing();
    proxy.mode = "forward";
    await expectFiles();
  });
});

function expectRetryLater(reply: Reply): void {
  expectRefusal(reply, 503, "NOT_AVAILABLE");
  expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
}
