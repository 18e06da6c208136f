import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, readdir, readlink, truncate } from "node:fs/promises";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DiskPlace, openDiskPlace } from "./disk-place.ts";
import { linkTerms } from "./link.contract.ts";
import { begin } from "./raw-request.ts";

const MIB = 1024 * 1024;
/** More than both ends and the system between them buffer, so that a transfer cannot finish unread. */
const LARGE_BYTES = 64 * MIB;

let place: DiskPlace;
let clock: Date;
beforeAll(async () => {
  clock = new Date();
  place = await openDiskPlace({ now: () => clock });
  await sparse("large", LARGE_BYTES);
  for (const key of ["lapsing", "removed", "shrinking"]) await sparse(key, LARGE_BYTES);
});
afterAll(() => place.close());

function start(
  key: string,
  headers: OutgoingHttpHeaders = {},
  method: "GET" | "HEAD" = "GET",
): Promise<IncomingMessage> {
  const link = place.store.link(key, { ...linkTerms(), now: clock, method });
  return begin(place.origin, link.slice(place.origin.length), { headers, method });
}

/** A file that takes no room. */
async function sparse(key: string, sizeBytes: number): Promise<void> {
  await place.store.stat(key); // Makes the folder.
  const file = await open(join(place.folder, key), "w");
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
  return paths.filter((path) => path.startsWith(join(place.folder, key))).length;
}

describe("a transfer", () => {
  test("is not held up by others that nobody takes, nor by those that are broken off", async () => {
    const stuck = await Promise.all(Array.from({ length: 20 }, () => start("large")));
    expect(await drain(await start("large"))).toBe(LARGE_BYTES);
    for (const response of stuck) response.destroy();
    expect(await drain(await start("large"))).toBe(LARGE_BYTES);
  });

  test.runIf(existsSync("/proc/self/fd"))("whose client goes away frees its file at once", async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => start("large")));
    await Promise.all(responses.map((response) => once(response, "readable")));
    await expect.poll(() => openFiles("large")).toBe(10);
    for (const response of responses) response.destroy();
    await expect.poll(() => openFiles("large")).toBe(0);
  });

  test.runIf(existsSync("/proc/self/fd"))("leaves no file open, however it ended", async () => {
    await drain(await start("lapsing"));
    await drain(await start("lapsing", { range: "bytes=0-9" }));
    await drain(await start("lapsing", { range: `bytes=${LARGE_BYTES}-` }));
    await drain(await start("lapsing", { "if-none-match": "*" }));
    await drain(await start("lapsing", { "if-match": '"other"' }));
    await drain(await start("lapsing", {}, "HEAD"));
    await expect.poll(() => openFiles("lapsing")).toBe(0);
  });

  test("delivers the right bytes beside thirty others, some of which are aborted", async () => {
    const files = Array.from({ length: 30 }, (_, i) => [`own-${i}`, randomBytes((1 + (i % 3) * 3) * MIB + i)] as const);
    for (const [key, bytes] of files) await place.store.put(key, Readable.from([bytes]));
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

  test("to a slow client gets its own bytes, too", async () => {
    const bytes = randomBytes(24 * MIB);
    await place.store.put("slow", Readable.from([bytes]));
    const response = await start("slow");
    let position = 0;
    for await (const chunk of response) {
      expect(bytes.subarray(position, position + chunk.length).equals(chunk)).toBe(true);
      position += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(position).toBe(bytes.length);
  });

  test("goes on when its link lapses", async () => {
    const running = await start("lapsing");
    const lapsing = place.store.link("lapsing", { ...linkTerms(), now: clock });
    clock = new Date(clock.getTime() + 24 * 3600_000);
    expect((await fetch(lapsing)).status).toBe(403);
    expect(await drain(running)).toBe(LARGE_BYTES);
  });

  test("goes on when its object is removed", async () => {
    const running = await start("removed");
    await place.store.remove("removed");
    expect(await place.store.stat("removed")).toBeUndefined();
    expect(await drain(running)).toBe(LARGE_BYTES);
  });

  test("of a file that becomes shorter is cut off, not left hanging", async () => {
    const running = await start("shrinking", { connection: "keep-alive" });
    await truncate(join(place.folder, "shrinking"), 10 * MIB);
    await expect(drain(running)).rejects.toThrow("aborted");
  });
});
