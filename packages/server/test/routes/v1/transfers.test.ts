import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { skipUnless } from "../../../../../rigs/harness/needs.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type LegacyCustomer, legacyKeyOf } from "./legacy-customer.ts";

const MIB = 1024 * 1024;
const CONTENT = "0123456789abcdef".repeat((32 * MIB) / 16);

for (const stage of eitherStage()) {
  const isOnDisk = stage.name.includes("disk");
  // Open files can only be listed on Linux; S3 streams can be inspected everywhere.
  const canInspect = !isOnDisk || process.platform === "linux";
  describe(`v1 transfers on ${stage.name}`, skipUnless(canInspect, "Linux"), () => {
    let test: TestService;
    let legacy: LegacyCustomer;
    const streams: Readable[] = [];

    beforeAll(async () => {
      test = await testService(stage);
      await test.operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
      await test.operator.publish("vpn_ip_v1", CONTENT);
      legacy = await legacyKeyOf(test, undefined, ["vpn_ip_v1"]);
      const { objects } = test.service.services;
      const { read } = objects;
      objects.read = async (...args) => {
        const stream = await read(...args);
        streams.push(stream);
        return stream;
      };
    });
    afterAll(() => test.dispose());

    function startDownload(): Socket {
      const url = new URL(legacy.url("download", { id: "vpn_ip_v1", format: "mmdb" }));
      const socket = connect(Number(url.port), url.hostname);
      socket.on("error", () => {});
      socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
      return socket;
    }

    /** Counts the object files and S3 streams that transfers hold open. */
    async function openCount(): Promise<number> {
      if (!isOnDisk) return streams.filter(({ destroyed }) => !destroyed).length;
      const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
      return (await Promise.all(links)).filter((path) => path.startsWith(`${test.dataDir}/objects`)).length;
    }
    const expectAllClosed = () => expect.poll(openCount).toBe(0);
    const disconnects = () => test.logs().split('"cut_off":true').length - 1;
    const requests = () => test.logs().split('"route":"/api/v1/database/download"').length - 1;

    it("close the file or the S3 stream when the client disconnects", async () => {
      const socket = startDownload();
      await once(socket, "data");
      expect(await openCount()).toBe(1);
      socket.destroy();
      await expectAllClosed();
      expect(test.logs()).toMatch(/"route":"\/api\/v1\/database\/download","status":200.*"cut_off":true/);
    });

    it("leave nothing open if the client disconnects before the response starts", async () => {
      const { history } = test.service.services;
      const record = history.record.bind(history);
      const [opened, disconnected] = [streams.length, disconnects()];
      history.record = async (attempt) => {
        socket.destroy();
        await expect.poll(disconnects).toBe(disconnected + 1);
        await record(attempt);
      };
      const socket = startDownload();
      // The file is opened only after the client has disconnected.
      await expect.poll(() => streams.length).toBe(opened + 1);
      history.record = record;
      await expectAllClosed();
    });

    it("leave nothing open if many clients disconnect at different moments", async () => {
      const clients = Array.from({ length: 30 }, async (_, i) => {
        const socket = startDownload();
        for (let turn = 0; turn < i; turn += 1) await setImmediate();
        socket.destroy();
      });
      await Promise.all(clients);
      expect((await legacy.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=0-4" } })).text).toBe("mmdb ");
      // Every request that arrived has opened its stream.
      await expect.poll(() => streams.length).toBe(requests());
      await expectAllClosed();
    });

    it("do not delay other clients while many clients read nothing", async () => {
      const clients = Array.from({ length: 60 }, startDownload);
      await Promise.all(clients.map((socket) => once(socket, "readable")));
      expect((await legacy.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=0-4" } })).text).toBe("mmdb ");
      for (const socket of clients) socket.destroy();
      await expectAllClosed();
    });

    it("deliver the whole file to a slow client", async () => {
      const socket = startDownload();
      // The client has not read anything, and its buffer is full.
      await once(socket, "readable");
      await expect.poll(() => socket.readableLength).toBeGreaterThanOrEqual(socket.readableHighWaterMark);
      expect(await openCount()).toBe(1);

      const whole = fileBytes("mmdb", CONTENT);
      const chunks: Buffer[] = [];
      let rest = whole.length;
      for await (const chunk of socket) {
        const bodyStart = chunks.length === 0 ? chunk.indexOf("\r\n\r\n") + 4 : 0;
        chunks.push(chunk.subarray(bodyStart));
        rest -= chunk.length - bodyStart;
        if (rest <= 0) break;
      }
      expect(Buffer.concat(chunks).equals(whole)).toBe(true);
      await expectAllClosed();
    });

    it("record what they have sent when the client disconnects", async () => {
      const { store, sentBytes } = test.service.services;
      const sent = async () => {
        await sentBytes.flush();
        return (await store.attempts.list({ limit: 1 }))[0]?.sentBytes;
      };
      const size = fileBytes("mmdb", CONTENT).length;
      const socket = startDownload();
      // The client reads nothing, so most of the file stays on the server.
      await once(socket, "readable");
      expect(await sent()).toBe(size);
      socket.destroy();
      await expect.poll(sent).toBeLessThan(size);
      const range = await legacy.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=0-4" } });
      expect([range.status, await sent()]).toEqual([206, 5]);
      const head = await legacy.download("vpn_ip_v1", "mmdb", { method: "HEAD" });
      expect([head.status, await sent()]).toEqual([200, 0]);
    });
  });
}
