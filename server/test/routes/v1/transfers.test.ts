import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stages } from "../../stages.ts";
import { fileBytes, type TestService, testService } from "../../test-service.ts";
import { type LegacyCustomer, legacyKeyOf } from "./legacy-customer.ts";

const MIB = 1024 * 1024;
const CONTENT = "0123456789abcdef".repeat((32 * MIB) / 16);
/** What the system keeps for a connection on its way, beside what the program holds. */
const SOCKETS_OWN_BYTES = 12 * MIB;

for (const stage of stages()) {
  describe(`v1 transfers on ${stage.name}`, () => {
    let test: TestService;
    let old: LegacyCustomer;
    /** The streams from storage that were opened for answers. */
    let opened: Readable[];

    beforeAll(async () => {
      test = await testService(stage);
      await test.operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
      await test.operator.publish("vpn_ip_v1", CONTENT);
      old = await legacyKeyOf(test, undefined, ["vpn_ip_v1"]);
      const { objects } = test.service.parts;
      const { read } = objects;
      objects.read = async (...asked) => {
        const stream = await read(...asked);
        opened.push(stream);
        return stream;
      };
    });
    afterAll(() => test.dispose());
    beforeEach(() => {
      opened = [];
    });

    async function begin(): Promise<Socket> {
      const url = new URL(old.url("download", { id: "vpn_ip_v1", format: "mmdb" }));
      const socket = connect(Number(url.port), url.hostname);
      socket.on("error", () => {});
      socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
      return socket;
    }

    /** Linux tells which files this process has open; elsewhere the destroyed streams must do. */
    const canTell = process.platform === "linux" && stage.name.includes("disk");
    const openFiles = async () => {
      const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
      return (await Promise.all(links)).filter((path) => path.startsWith(`${test.dataDir}/objects`));
    };

    const allFreed = async () => {
      await expect.poll(() => opened.map(({ destroyed }) => destroyed), { timeout: 5000 }).not.toContain(false);
      // A stream is destroyed before its file is closed.
      if (canTell) await expect.poll(openFiles, { timeout: 5000 }).toEqual([]);
    };

    it("a client that goes away in the middle frees the file or the S3 stream at once", async () => {
      const socket = await begin();
      await once(socket, "data");
      expect(opened.map(({ destroyed }) => destroyed)).toEqual([false]);
      if (canTell) expect(await openFiles()).toHaveLength(1);
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
      const socket = await begin();
      await written.promise;
      history.record = record;
      await expect.poll(() => opened.length, { timeout: 5000 }).toBe(1);
      await allFreed();
    });

    it("clients that come and go at any moment leave nothing open", async () => {
      const clients = Array.from({ length: 30 }, async (_, i) => {
        const socket = await begin();
        await delay(i * 3);
        socket.destroy();
      });
      await Promise.all(clients);
      // Those whose row is still being written open their file only now.
      await delay(300);
      await allFreed();
      expect((await old.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=0-4" } })).text).toBe("mmdb ");
    });

    it("a slow client holds no more than its own buffer, and its file comes whole in the end", async () => {
      const socket = await begin();
      await once(socket, "readable");
      await delay(500);
      const [stream] = opened;
      const taken = takenBytes(stream);
      expect(taken).toBeGreaterThan(0);
      expect(taken).toBeLessThan(SOCKETS_OWN_BYTES);
      await delay(300);
      expect(takenBytes(stream)).toBe(taken);

      let received = 0;
      for await (const chunk of socket) {
        received += chunk.length;
        if (received > CONTENT.length) break;
      }
      expect(received).toBeGreaterThan(fileBytes("mmdb", CONTENT).length);
      await allFreed();
    });
  });
}

/** How much has left the storage: a file's stream counts for itself, S3's is an answer on a socket that does. */
function takenBytes(stream: Readable | undefined): number {
  const counted = stream as { bytesRead?: number; socket?: { bytesRead: number } } | undefined;
  return counted?.bytesRead ?? counted?.socket?.bytesRead ?? 0;
}
