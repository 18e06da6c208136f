import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { startLoadBalancer } from "../../../../rigs/harness/servers/nginx.ts";
import type { Customer } from "../../../../rigs/harness/service/customer.ts";
import { EventReader } from "../../../../rigs/harness/service/event-reader.ts";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { type Service, startService } from "../../src/service/service.ts";

for (const stage of eitherStage()) {
  describe(`event streams behind nginx on ${stage.name}`, needs("nginx", "curl"), () => {
    let test: TestService;
    let replica: Service;
    let nginx: AsyncDisposable;
    let url: string;
    let acme: Customer;
    beforeAll(async () => {
      const [one, two, three, listen] = await Promise.all([1, 2, 3, 4].map(freePort));
      test = await testService(stage, { DBDEPOT_PORT: String(one) });
      replica = await startService({ ...test.stage.settings, port: Number(two) }, { clock: test.clock.now });
      nginx = await startLoadBalancer(Number(listen), [one, two, three].map(Number));
      url = `http://127.0.0.1:${listen}`;
      await test.operator.addDatabase("vpn_ip_v1");
      acme = await test.operator.customer("Acme");
    });
    afterAll(async () => {
      await nginx[Symbol.asyncDispose]();
      await replica.close();
      await test.dispose();
    });

    it("reach curl as they happen", async () => {
      const curl = spawn("curl", ["-fsSN", "-H", `authorization: Bearer ${acme.key}`, `${url}/api/v2/events`]);
      const exited = once(curl, "exit");
      let text = "";
      curl.stdout.on("data", (chunk) => {
        text += chunk;
      });
      await expect.poll(() => text).toContain("event: reset\n");
      await test.operator.grant("Acme", "vpn_ip");
      await expect.poll(() => text).toContain("event: licence.granted\n");
      curl.kill();
      await exited;
    });

    it("end when a server shuts down, and continue at another one", async () => {
      const headers = { authorization: `Bearer ${acme.key}` };
      // nginx sends every other request to the replica.
      const readers = [await EventReader.open(url, headers), await EventReader.open(url, headers)];
      await test.operator.grant("Acme", "vpn_ip");
      for (const reader of readers) await expect.poll(() => reader.types).toContain("licence.granted");
      await replica.drain();
      await replica.close();
      await expect.poll(() => readers.filter(({ isClosed }) => isClosed)).toHaveLength(1);
      await test.operator.grant("Acme", "vpn_ip");
      const [closed] = readers.filter(({ isClosed }) => isClosed);
      const resumed = await EventReader.open(url, { ...headers, "last-event-id": closed?.events.at(-1)?.id ?? "" });
      await resumed.expectTypes("licence.granted");
      for (const reader of [...readers, resumed]) reader.close();
    });
  });
}
