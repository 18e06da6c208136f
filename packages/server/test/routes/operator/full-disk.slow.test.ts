import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { BuildUpload } from "@dbdepot/contract/operator/builds";
import { expect, it } from "vitest";
import { fullDisk } from "../../../../../rigs/harness/full-disk.ts";
import { type Stage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";
import { exported } from "./exported.ts";
import { expectError, expectSuccess, robotOf } from "./robot.ts";

const [stage] = stages() as [Stage];

it("returns 503 for an upload that fills the disk, deletes its parts, and accepts it once space is free", async () => {
  const test = await testService(stage);
  const robot = await robotOf(test, { scopes: ["builds.publish"] });
  await test.operator.addDatabase("vpn_ip_v1");
  const { document, files } = await exported("vpn_ip_v1", { rows: 1000 });
  const mmdb = files.mmdb as Buffer;
  const { id } = expectSuccess<BuildUpload>(await robot.sendBytes("POST", "/builds?version=vpn_ip_v1", document));
  const put = (offset: number) =>
    robot.sendBytes("PUT", `/builds/${id}/files/mmdb?offset=${offset}`, mmdb.subarray(offset));
  const { objects } = test.service.services;
  await objects.put(`uploads/${id}/mmdb/${"0".repeat(16)}`, Readable.from([mmdb.subarray(0, 1000)]));

  const disk = await fullDisk();
  const reply = await put(1000);
  expectError(reply, 503, "NOT_AVAILABLE", "object storage is full");
  expect(reply.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await Array.fromAsync(objects.list(""))).toEqual([]);
  expect(await readdir(join(test.dataDir, "objects/.partial"))).toEqual([]);

  disk[Symbol.dispose]();
  expect(expectSuccess<BuildUpload>(await put(0)).files.mmdb?.size_bytes).toBe(mmdb.length);
  await test.dispose();
});
