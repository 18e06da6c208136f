import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, readdir, readlink, truncate } from "node:fs/promises";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { type DiskWithGateway, openDiskWithGateway } from "./disk-with-gateway.ts";
import { linkTerms } from "./link.contract.ts";
import { begin } from "./raw-request.ts";

const MIB = 1024 * 1024;
/** Larger than all buffers between client and server, so a transfer cannot finish unless the client reads it. */
const LARGE_BYTES = 64 * MIB;

let disk: DiskWithGateway;
let clock: Date;
beforeAll(async () => {
  clock = new Date();
  disk = await openDiskWithGateway({ now: () => clock });
  await putSparse("large", LARGE_BYTES);
  for (const key of ["expiring", "removed", "shrinking"]) await putSparse(key, LARGE_BYTES);
});
afterAll(() => disk.close());

function start(
  key: string,
  headers: OutgoingHttpHeaders = {},
  method: "GET" | "HEAD" = "GET",
): Promise<IncomingMessage> {
  const link = disk.store.link(key, { ...linkTerms(), now: clock, method });
  return begin(disk.origin, link.slice(disk.origin.length), { headers, method });
}

/** Creates an object of this size that takes no disk space. */
async function putSparse(key: string, sizeBytes: number): Promise<void> {
  await disk.store.stat(key); // Creates the folder.
  const file = await open(join(disk.folder, key), "w");
  await file.truncate(sizeBytes);
  await file.close();
}

async function drain(response: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  return bytes;
}

async function openFiles(key: string): Promise<number> {
  const paths = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return paths.filter((path) => path.startsWith(join(disk.folder, key))).length;
}

describe("Gateway transfer", () => {
  it("finishes while other clients stop reading or disconnect", async () => {
    const stuck = await Promise.all(Array.from({ length: 20 }, () => start("large")));
    expect(await drain(await start("large"))).toBe(LARGE_BYTES);
    for (const response of stuck) response.destroy();
    expect(await drain(await start("large"))).toBe(LARGE_BYTES);
  });

  it("closes its file when the client disconnects", needs("Linux"), async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => start("large")));
    await Promise.all(responses.map((response) => once(response, "readable")));
    await expect.poll(() => openFiles("large")).toBe(10);
    for (const response of responses) response.destroy();
    await expect.poll(() => openFiles("large")).toBe(0);
  });

  it("leaves no file open, whatever the response", needs("Linux"), async () => {
    await drain(await start("expiring"));
    await drain(await start("expiring", { range: "bytes=0-9" }));
    await drain(await start("expiring", { range: `bytes=${LARGE_BYTES}-` }));
    await drain(await start("expiring", { "if-none-match": "*" }));
    await drain(await start("expiring", { "if-match": '"other"' }));
    await drain(await start("expiring", {}, "HEAD"));
    await expect.poll(() => openFiles("expiring")).toBe(0);
  });

  it("delivers the right bytes alongside thirty others, some of them aborted", async () => {
    const files = Array.from({ length: 30 }, (_, i) => [`own-${i}`, randomBytes((1 + (i % 3) * 3) * MIB + i)] as const);
    for (const [key, bytes] of files) await disk.store.put(key, Readable.from([bytes]));
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        files.map(async ([key, bytes], i) => {
          const response = await start(key);
          if ((i + round) % 4 !== 0) return expect(bytes.equals(await buffer(response))).toBe(true);
          await once(response, "readable");
          response.destroy();
        }),
      );
    }
    if (existsSync("/proc/self/fd")) await expect.poll(() => openFiles("own-")).toBe(0);
  });

  it("delivers the right bytes to a slow client", async () => {
    const bytes = randomBytes(24 * MIB);
    await disk.store.put("slow", Readable.from([bytes]));
    const response = await start("slow");
    // The client reads nothing until its buffer is full.
    await expect.poll(() => response.readableLength).toBeGreaterThanOrEqual(response.readableHighWaterMark);
    let position = 0;
    for await (const chunk of response) {
      expect(bytes.subarray(position, position + chunk.length).equals(chunk)).toBe(true);
      position += chunk.length;
    }
    expect(position).toBe(bytes.length);
  });

  it("continues after its link expires", async () => {
    const running = await start("expiring");
    const expiring = disk.store.link("expiring", { ...linkTerms(), now: clock });
    clock = new Date(clock.getTime() + 24 * 3600_000);
    expect((await fetch(expiring)).status).toBe(403);
    expect(await drain(running)).toBe(LARGE_BYTES);
  });

  it("continues after its object is removed", async () => {
    const running = await start("removed");
    await disk.store.remove("removed");
    expect(await disk.store.stat("removed")).toBeUndefined();
    expect(await drain(running)).toBe(LARGE_BYTES);
  });

  it("aborts if its file is truncated, instead of hanging", async () => {
    const running = await start("shrinking", { connection: "keep-alive" });
    await truncate(join(disk.folder, "shrinking"), 10 * MIB);
    await expect(drain(running)).rejects.toThrow("aborted");
  });
});
