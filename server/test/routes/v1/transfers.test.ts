import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stages } from "../../stages.ts";
import { fileBytes, type TestService, testService } from "../../test-service.ts";
import { type LegacyCustomer, legacyKeyOf } from "./legacy-customer.ts";

const MIB = 1024 * 1024;
const CONTENT = "0123456789abcdef".repeat((32 * MIB) / 16);

for (const stage of stages()) {
  const isOnDisk = stage.name.includes("disk");
  // Linux tells which files a process has open; S3's streams can be looked at everywhere.
  const canTell = !isOnDisk || process.platform === "linux";
  if (!canTell)
    process.stderr.write(`The open files cannot be seen here: transfers on ${stage.name} are NOT tested.\n`);

  describe.runIf(canTell)(`v1 transfers on ${stage.name}`, () => {
    let test: TestService;
    let old: LegacyCustomer;
    const streams: Readable[] = [];

    beforeAll(async () => {
      test = await testService(stage);
      await test.operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
      await test.operator.publish("vpn_ip_v1", CONTENT);
      old = await legacyKeyOf(test, undefined, ["vpn_ip_v1"]);
      const { objects } = test.service.parts;
      const { read } = objects;
      objects.read = async (...asked) => {
        const stream = await read(...asked);
        streams.push(stream);
        return stream;
      };
    });
    afterAll(() => test.dispose());

    function begin(): Socket {
      const url = new URL(old.url("download", { id: "vpn_ip_v1", format: "mmdb" }));
      const socket = connect(Number(url.port), url.hostname);
      socket.on("error", () => {});
      socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
      return socket;
    }

    /** What transfers hold of the storage just now: files that are open, streams that are not destroyed. */
    async function held(): Promise<number> {
      if (!isOnDisk) return streams.filter(({ destroyed }) => !destroyed).length;
      const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
      return (await Promise.all(links)).filter((path) => path.startsWith(`${test.dataDir}/objects`)).length;
    }
    const allFreed = () => expect.poll(held).toBe(0);

    it("a client that goes away in the middle frees the file or the S3 stream at once", async () => {
      const socket = begin();
      await once(socket, "data");
      expect(await held()).toBe(1);
      socket.destroy();
      await allFreed();
      expect(test.logs()).toMatch(/"route":"\/api\/v1\/database\/download","status":200.*"cut_off":true/);
    });

    it("a client that goes away before the answer begins leaves nothing open", async () => {
      const { history } = test.service.parts;
      const record = history.record.bind(history);
      const written = Promise.withResolvers<void>();
      history.record = async (attempt) => {
        socket.destroy();
        await delay(100);
        await record(attempt);
        written.resolve();
      };
      const socket = begin();
      await written.promise;
      history.record = record;
      // The file is opened only now, for nobody.
      await delay(300);
      await allFreed();
    });

    it("clients that come and go at any moment leave nothing open", async () => {
      const clients = Array.from({ length: 30 }, async (_, i) => {
        const socket = begin();
        await delay(i * 3);
        socket.destroy();
      });
      await Promise.all(clients);
      await delay(300);
      await allFreed();
      expect((await old.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=0-4" } })).text).toBe("mmdb ");
    });

    it("many clients that take nothing do not hold up the next one", async () => {
      const clients = Array.from({ length: 60 }, begin);
      await Promise.all(clients.map((socket) => once(socket, "readable")));
      expect((await old.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=0-4" } })).text).toBe("mmdb ");
      for (const socket of clients) socket.destroy();
      await allFreed();
    });

    it("a slow client gets the whole file", async () => {
      const socket = begin();
      await once(socket, "readable");
      await delay(700);
      expect(await held()).toBe(1);

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
      await allFreed();
    });
  });
}
