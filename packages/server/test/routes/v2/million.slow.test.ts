import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../../../rigs/harness/free-port.ts";
import { type Customer, call } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { TIMEOUTS } from "../../../src/http/app.ts";
import { startChild } from "../../commands/child.ts";
import { publishRows, randomRows } from "../../domain/builds/publish-rows.ts";

const ROWS = 1_000_000;
const PATH = "/api/v2/database/changes?id=vpn_ip_v1&rows=1";

for (const stage of stages()) {
  describe(`changes?rows=1 with a million changed rows on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    const open = () => test.service.services.rowStreams.size;

    beforeAll(async () => {
      test = await testService(stage, {}, { timeouts: { ...TIMEOUTS, rowsMs: 1000 } });
      acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1", { formats: ["csvgz"] });
      await test.operator.grant("Acme", "vpn_ip");
      for (let day = 0; day < 2; day++) await publishRows(test.operator, "vpn_ip_v1", randomRows(ROWS));
      // Compared in the background, which may take longer than a request waits.
      const status = async () => (await acme.get(PATH.replace("&rows=1", ""))).status;
      await vi.waitFor(async () => expect(await status()).toBe(200), { timeout: 300_000 });
    }, 600_000);
    afterAll(() => test.dispose());

    it("arrive completely, several times at once", async () => {
      const [one, other] = await Promise.all([lines(acme), lines(acme)]);
      expect([one, other]).toEqual([ROWS + 1, ROWS + 1]);
      expect(open()).toBe(0);
    });

    it("are cut off if the client stops reading", async () => {
      const stopped = await start(acme.apiUrl, acme.key);
      await expect.poll(open).toBe(1);
      await expect.poll(open).toBe(0);
      await expect(count(stopped)).rejects.toThrow("aborted");
      expect(await lines(acme)).toBe(ROWS + 1);
    });

    it("end when the client leaves, as often as it does so", async () => {
      for (let i = 0; i < 20; i++) {
        const response = await start(acme.apiUrl, acme.key);
        if (i % 2) await once(response, "data");
        response.destroy();
        await expect.poll(open).toBe(0);
      }
      expect(await lines(acme)).toBe(ROWS + 1);
    });

    it("are cut off after the grace period of a server that gets SIGTERM", async () => {
      const port = await freePort();
      const { environment, settings } = test.stage;
      const more = {
        DBDEPOT_DATA_DIR: join(settings.dataDir, "replica"),
        DBDEPOT_PORT: String(port),
        DBDEPOT_METRICS_PORT: "off",
        DBDEPOT_SHUTDOWN_SECONDS: "2",
      };
      const server = startChild(["serve"], { ...environment, ...more });
      server.stdout.resume();
      const origin = `http://127.0.0.1:${port}`;
      await vi.waitFor(async () => expect((await call(`${origin}/readyz`)).status).toBe(200), { timeout: 60_000 });
      const streams = await Promise.all([start(origin, acme.key), start(origin, acme.key)]);
      const exited = once(server, "exit");
      server.kill("SIGTERM");
      expect(await exited).toEqual([0, null]);
      for (const stream of streams) await expect(count(stream)).rejects.toThrow("aborted");
    });
  });
}

/** Starts to read rows. */
async function start(origin: string, key: string): Promise<IncomingMessage> {
  const request = get(origin + PATH, { headers: { authorization: `Bearer ${key}` } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  return response;
}

async function lines({ apiUrl, key }: Customer): Promise<number> {
  return count(await start(apiUrl, key));
}

async function count(response: IncomingMessage): Promise<number> {
  let found = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) for (const byte of chunk) if (byte === 10) found++;
  return found;
}
