import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { Readable } from "node:stream";
import type { BuildUpload } from "@dbdepot/contract/operator/builds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { checksumsOf, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import type { ObjectStore } from "../../../src/domain/builds/object-store.ts";
import { listParts, orphanedParts, resumeUpload } from "../../../src/domain/builds/upload-parts.ts";
import { sweep } from "../../../src/domain/retention/leftovers.ts";
import { type Exported, exported } from "./exported.ts";
import { expectError, expectSuccess, type Robot, robotOf } from "./robot.ts";

for (const stage of eitherStage()) {
  describe(`PUT /api/operator/builds/:id/files/:format on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let made: Exported;
    let mmdb: Buffer;
    /** How many bytes of each build's file have reached the object store. */
    const storedBytes = new Map<string, number>();

    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test, { scopes: ["builds.publish"] });
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.addDatabase("x_provider_v1", { formats: ["csvgz"] });
      made = await exported("vpn_ip_v1", { rows: 20_000 });
      mmdb = made.files.mmdb as Buffer;
      expect(mmdb.length).toBeGreaterThan(500_000);
      countReceivedBytes(test.service.services.objects, storedBytes);
    });
    afterAll(() => test.dispose());

    async function begin(of = made, version = "vpn_ip_v1"): Promise<BuildUpload> {
      return expectSuccess<BuildUpload>(await robot.sendBytes("POST", `/builds?version=${version}`, of.document));
    }

    function put(id: string, bytes: Buffer, offset?: number) {
      const query = offset === undefined ? "" : `?offset=${offset}`;
      return robot.sendBytes("PUT", `/builds/${id}/files/mmdb${query}`, bytes);
    }

    /** Sends `count` bytes and then stalls. The server has received them when this returns. */
    async function stall(id: string, offset: number, count: number): Promise<ClientRequest> {
      const rest = mmdb.subarray(offset);
      const sending = request(`${robot.apiUrl}/api/operator/builds/${id}/files/mmdb?offset=${offset}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${robot.key}`, "content-length": rest.length },
      });
      sending.on("error", () => {});
      sending.write(rest.subarray(0, count));
      await expect.poll(() => storedBytes.get(id)).toBe(offset + count);
      return sending;
    }

    async function received(id: string): Promise<number | undefined> {
      return (await robot.request<BuildUpload>("GET", `/builds/${id}`)).received.mmdb;
    }

    async function objectsUnder(prefix: string): Promise<string[]> {
      return (await Array.fromAsync(test.service.services.objects.list(prefix))).map(({ key }) => key);
    }

    async function interrupt(id: string, offset: number, count: number): Promise<void> {
      const sending = await stall(id, offset, count);
      sending.destroy();
      await expect.poll(() => received(id)).toBe(offset + count);
    }

    it("resumes an upload after any number of interruptions", async () => {
      const { id } = await begin();
      await interrupt(id, 0, 100_000);
      await interrupt(id, 100_000, 1);
      await interrupt(id, 100_001, 250_000);
      const whole = expectSuccess<BuildUpload>(await put(id, mmdb.subarray(350_001), 350_001));
      expect(whole.files.mmdb).toEqual({ size_bytes: mmdb.length, checksums: checksumsOf(mmdb) });
      expect(whole.received).toEqual({ csvgz: 0 });
      expect(await objectsUnder("uploads/")).toEqual([]);
      const [file] = await objectsUnder(`vpn_ip_v1/${id}/`);
      const stored = await Array.fromAsync(await test.service.services.objects.read(String(file)));
      expect(Buffer.concat(stored).equals(mmdb)).toBe(true);
      expect(test.logs()).not.toContain("unexpected error");
    });

    it("accepts an empty body if all bytes arrived before the interruption", async () => {
      const { id } = await begin();
      await interrupt(id, 0, mmdb.length - 1);
      const build = (await test.service.services.store.builds.byId(id)) as Build;
      const { objects } = test.service.services;
      // The last byte arrives, and the process dies before it assembles the file.
      const parts = await listParts(objects, build, "mmdb");
      const last = resumeUpload(objects, { build, kind: "mmdb", parts, rest: cutOff(mmdb.subarray(-1)) });
      await expect(Array.fromAsync(last)).rejects.toThrow("cut off");
      expect(await received(id)).toBe(mmdb.length);
      expect(expectSuccess<BuildUpload>(await put(id, Buffer.alloc(0), mmdb.length)).files.mmdb?.size_bytes).toBe(
        mmdb.length,
      );
    });

    it("tells clients that send a wrong offset or length how many bytes have arrived", async () => {
      const { id } = await begin();
      await interrupt(id, 0, 1000);
      const rest = mmdb.subarray(1000);
      const words = "1000 bytes have arrived: send the rest with offset=1000";
      expectError(await put(id, mmdb), 409, "CONFLICT", words);
      expectError(await put(id, mmdb.subarray(2000), 2000), 409, "CONFLICT", words);
      expectError(await put(id, rest), 400, "INVALID_REQUEST", `would have ${rest.length} bytes`);
      expectError(await put(id, mmdb, 1000), 400, "INVALID_REQUEST", `the metadata says ${mmdb.length}`);
      expectError(await put(id, mmdb, -1), 400, "INVALID_REQUEST", "offset must be >= 0");
      expect(await received(id)).toBe(1000);
      expectSuccess(await put(id, rest, 1000));
      expectError(await put(id, mmdb), 409, "CONFLICT", `build ${id} already has its mmdb`);
    });

    it("lets a new request take over from a stalled connection", async () => {
      const { id } = await begin();
      const sending = await stall(id, 0, 5000);
      expectError(await put(id, mmdb), 409, "CONFLICT", "bytes have arrived: send the rest");
      const at = Number(await received(id));
      expect(at).toBe(5000);
      expectSuccess(await put(id, mmdb.subarray(at), at));
      sending.destroy();
    });

    it("deletes the parts of discarded builds, and sweeps orphaned parts", async () => {
      const { store, objects } = test.service.services;
      const { id } = await begin();
      await interrupt(id, 0, 1000);
      expect(await objectsUnder(`uploads/${id}/`)).toHaveLength(1);
      await robot.request("POST", `/builds/${id}/discard`);
      expect(await objectsUnder("uploads/")).toEqual([]);

      const unfinished = await begin();
      await interrupt(unfinished.id, 0, 1000);
      const discarded = await begin();
      await interrupt(discarded.id, 0, 1000);
      await store.change((tables) => tables.builds.discard(discarded.id));
      const operation = test.operator.operation();
      await sweep(operation, objects, new Date(Date.now() - 3_600_000));
      expect(await objectsUnder("uploads/")).toHaveLength(2);
      const orphans = await orphanedParts(store.builds, objects);
      expect(orphans.map(({ key }) => key)).toEqual([expect.stringContaining(discarded.id)]);
      const swept = await sweep(operation, objects, new Date(Date.now() + 3_600_000));
      expect(swept.objects.map(({ key }) => key)).toContain(orphans[0]?.key);
      // The unfinished build was old enough to be swept together with its parts.
      expect(swept.stagedBuildIds).toContain(unfinished.id);
      expect(await objectsUnder("uploads/")).toEqual([]);
    });

    it("stores large files in parts, so an interruption loses no complete part", async () => {
      const { id } = await begin();
      const build = (await test.service.services.store.builds.byId(id)) as Build;
      const { objects } = test.service.services;
      const file = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz");
      let arrived = 0;
      for (const cut of [4, 25, 26]) {
        const parts = await listParts(objects, build, "mmdb");
        expect(parts.sizeBytes).toBe(arrived);
        const rest = cutOff(file.subarray(arrived, cut));
        const source = resumeUpload(objects, { build, kind: "mmdb", parts, rest, partBytes: 10 });
        await expect(Array.fromAsync(source)).rejects.toThrow("cut off");
        arrived = cut;
      }
      const parts = await listParts(objects, build, "mmdb");
      expect(parts.objects.map(({ sizeBytes }) => sizeBytes)).toEqual([4, 10, 10, 1, 1]);
      const whole = resumeUpload(objects, { build, kind: "mmdb", parts, rest: cutOff(file.subarray(26), true) });
      expect(Buffer.concat(await Array.fromAsync(whole)).toString()).toBe(file.toString());
    });

    it("shows how much of a sample has arrived once its upload has begun", async () => {
      const { id, received: before } = await begin();
      expect(before).toEqual({ csvgz: 0, mmdb: 0 });
      const key = `uploads/${id}/sample_mmdb/${"0".repeat(16)}`;
      await test.service.services.objects.put(key, Readable.from([Buffer.from("first")]));
      const after = await robot.request<BuildUpload>("GET", `/builds/${id}`);
      expect(after.received).toEqual({ csvgz: 0, mmdb: 0, sample_mmdb: 5 });
      const rest = await robot.sendBytes("PUT", `/builds/${id}/files/sample_mmdb?offset=5`, Buffer.from(" and last"));
      expect(expectSuccess<BuildUpload>(rest).files.sample_mmdb?.checksums).toEqual(
        checksumsOf(Buffer.from("first and last")),
      );
    });

    it("ignores parts that overlap or follow a gap", async () => {
      const { id } = await begin();
      const build = (await test.service.services.store.builds.byId(id)) as Build;
      const { objects } = test.service.services;
      for (const [offset, text] of [
        [0, "0123456789"],
        [5, "overlap"],
        [10, "abc"],
        [20, "gap"],
      ] as const) {
        const key = `uploads/${id}/mmdb/${String(offset).padStart(16, "0")}`;
        await objects.put(key, Readable.from([Buffer.from(text)]));
      }
      const parts = await listParts(objects, build, "mmdb");
      expect(parts.objects.map(({ sizeBytes }) => sizeBytes)).toEqual([10, 3]);
      expect(await received(id)).toBe(13);
    });

    it("does not mix the parts of two concurrent uploads of the same file", async () => {
      const { id } = await begin();
      const build = (await test.service.services.store.builds.byId(id)) as Build;
      const { objects } = test.service.services;
      const none = { objects: [], sizeBytes: 0 };
      const send = () =>
        Array.fromAsync(
          resumeUpload(objects, { build, kind: "mmdb", parts: none, rest: cutOff(mmdb, true), partBytes: 50_000 }),
        );
      const ends = await Promise.allSettled([send(), send()]);
      expect(ends.some(({ status }) => status === "fulfilled")).toBe(true);
      const parts = await listParts(objects, build, "mmdb");
      const bytes: Buffer[] = [];
      for (const { key } of parts.objects) bytes.push(...(await Array.fromAsync(await objects.read(key))));
      expect(Buffer.concat(bytes).equals(mmdb.subarray(0, parts.sizeBytes))).toBe(true);
    });

    it("refuses unknown builds and formats, and uploads without Content-Length", async () => {
      const { id } = await begin();
      const sendTo = (path: string, bytes = mmdb) => robot.sendBytes("PUT", path, bytes);
      expectError(await sendTo(`/builds/${id}/files/sample_zip`), 404, "NOT_FOUND", 'no format "sample_zip"');
      expectError(await sendTo(`/builds/${id}/files/zip`), 404, "NOT_FOUND", 'no format "zip"');
      const unknownId = "00000000-0000-7000-8000-000000000000";
      expectError(await sendTo(`/builds/${unknownId}/files/mmdb`), 404, "NOT_FOUND", "no build");
      const providers = await begin(await exported("x_provider_v1", { formats: ["csvgz"] }), "x_provider_v1");
      expectError(
        await sendTo(`/builds/${providers.id}/files/mmdb`),
        400,
        "INVALID_REQUEST",
        "x_provider_v1 is not built in mmdb",
      );
      const chunked = request(`${robot.apiUrl}/api/operator/builds/${id}/files/mmdb`, {
        method: "PUT",
        headers: { authorization: `Bearer ${robot.key}`, "transfer-encoding": "chunked" },
      });
      chunked.end("bytes");
      const [response] = await once(chunked, "response");
      expect(response.statusCode).toBe(400);
      const [body] = await Array.fromAsync(response as AsyncIterable<Buffer>);
      expect(String(body)).toContain("Content-Length is missing");
    });
  });
}

/** Counts the bytes that are written to parts. */
function countReceivedBytes(objects: ObjectStore, storedBytes: Map<string, number>): void {
  const put = objects.put.bind(objects);
  objects.put = (key, body) => {
    const [folder, id = "", , offset] = key.split("/");
    if (folder !== "uploads") return put(key, body);
    const counted = async function* () {
      let at = Number(offset);
      for await (const bytes of body) {
        at += bytes.length;
        storedBytes.set(id, at);
        yield bytes;
      }
    };
    return put(key, counted());
  };
}

/** Yields the bytes in up to seven chunks, then fails with "cut off" unless `ends` is true. */
async function* cutOff(bytes: Buffer, ends = false): AsyncGenerator<Buffer> {
  const step = Math.max(1, Math.ceil(bytes.length / 7));
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
  if (!ends) throw new Error("cut off");
}
