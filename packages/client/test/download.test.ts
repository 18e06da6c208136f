import { once } from "node:events";
import { chmod, copyFile, mkdir, readFile, readlink, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { DbdepotClient, type Progress } from "../src/index.ts";
import { filesOf, ID, sha256Of, TestDepot } from "./depot.ts";
import { FaultyFront } from "./faults.ts";

const SIZE_BYTES = 6_000_000;
const files = filesOf("first", SIZE_BYTES);
let depot: TestDepot;
let front: FaultyFront;
let buildId: string;

beforeAll(async () => {
  depot = await TestDepot.open();
  front = await FaultyFront.open(depot.customer.apiUrl);
  ({ id: buildId } = await depot.publish(files));
});
afterEach(() => front.reset());
afterAll(async () => {
  await front.close();
  await depot.dispose();
});

/** A client that goes through the faulty front, which records requests. */
function client(retries = 0): DbdepotClient {
  const { key: apiKey } = depot.customer;
  return new DbdepotClient({ baseUrl: front.url, apiKey, retryDelayMs: 1, retries, env: {} });
}

async function interrupted(path: string, afterBytes: number): Promise<void> {
  front.storage = () => ({ cutAfterBytes: afterBytes });
  await expect(client().download(ID, "mmdb", { to: path })).rejects.toMatchObject({ kind: "network" });
  front.reset();
}

describe("a download to a path", () => {
  for (const format of ["mmdb", "csvgz"] as const) {
    it(`puts the ${format} in place and leaves no other files`, async () => {
      const path = depot.path(`placed.${format}`);
      const result = await client().download(ID, format, { to: path });
      const { length: sizeBytes } = files[format];
      const sha256 = sha256Of(files[format]);
      const transfer = { resumedFromBytes: 0, method: "file", transferredBytes: sizeBytes };
      expect(result).toEqual({ path, sizeBytes, sha256, buildId, ...transfer });
      expect((await readFile(path)).equals(files[format])).toBe(true);
      expect(await depot.parts(path)).toEqual([]);
    });
  }

  it("keeps the mode of the old file; new files get 0644 and the umask", async () => {
    const path = depot.path("mode.mmdb");
    const modeOf = async () => (await stat(path)).mode & 0o777;
    await client().download(ID, "mmdb", { to: path });
    expect(await modeOf()).toBe(0o644 & ~process.umask());
    await chmod(path, 0o640);
    await client().download(ID, "mmdb", { to: path });
    expect(await modeOf()).toBe(0o640);
  });

  it("replaces the target of a symbolic link, not the link", async () => {
    await writeFile(depot.path("real.mmdb"), "old");
    await symlink("real.mmdb", depot.path("link.mmdb"));
    await client().download(ID, "mmdb", { to: depot.path("link.mmdb") });
    expect(await readlink(depot.path("link.mmdb"))).toBe("real.mmdb");
    expect((await readFile(depot.path("real.mmdb"))).equals(files.mmdb)).toBe(true);
  });

  it("reports progress", async () => {
    const told: Progress[] = [];
    await client().download(ID, "mmdb", { to: depot.path("told.mmdb"), onProgress: (progress) => told.push(progress) });
    const { length } = files.mmdb;
    expect(told.at(-1)).toEqual({ receivedBytes: length, totalBytes: length, resumedFromBytes: 0 });
  });

  it("gets the file from the service with delivery: stream", async () => {
    const path = depot.path("streamed.mmdb");
    front.api = ({ url }) =>
      url.searchParams.has("delivery") && url.searchParams.has("build") ? { cutAfterBytes: 2_500_000 } : {};
    const result = await client(5).download(ID, "mmdb", { to: path, delivery: "stream" });
    expect(result).toMatchObject({ sha256: sha256Of(files.mmdb), buildId });
    expect(front.seenByStorage).toEqual([]);
  });

  it("downloads an older build by its id", async () => {
    const other = filesOf("second");
    await depot.publish(other);
    const path = depot.path("pinned.mmdb");
    expect(await client().download(ID, "mmdb", { to: path, build: buildId })).toMatchObject({ buildId });
    expect((await readFile(path)).equals(files.mmdb)).toBe(true);
    await expect(client().download(ID, "mmdb", { to: path, build: "nope" })).rejects.toMatchObject({
      kind: "not_found",
      rc: "UNKNOWN_BUILD",
      retryable: false,
    });
    ({ id: buildId } = await depot.publish(files));
  });
});

describe("an interrupted download", () => {
  it("is resumed by the next run", async () => {
    const path = depot.path("resumed.mmdb");
    await interrupted(path, 4_000_000);
    expect(await depot.parts(path)).toHaveLength(1);
    expect(await client().download(ID, "mmdb", { to: path })).toMatchObject({ resumedFromBytes: 4_000_000 });
    expect(front.seenByStorage.map(({ headers }) => headers.range)).toEqual(["bytes=4000000-"]);
    expect((await readFile(path)).equals(files.mmdb)).toBe(true);
    expect(await depot.parts(path)).toEqual([]);
  });

  it("resumes with If-Range", async () => {
    const path = depot.path("if-range.mmdb");
    front.storage = ({ number }) => (number === 0 ? { cutAfterBytes: 1_000_000 } : undefined);
    await client(1).download(ID, "mmdb", { to: path });
    const [, second] = front.seenByStorage;
    expect(second?.headers).toMatchObject({ range: "bytes=1000000-", "if-range": expect.stringMatching(/^"/) });
  });

  it("does not contact the storage if the part is complete", async () => {
    const path = depot.path("whole.mmdb");
    await interrupted(path, files.mmdb.length - 10);
    const [part = ""] = await depot.parts(path);
    await writeFile(part, files.mmdb);
    await client().download(ID, "mmdb", { to: path });
    expect(front.seenByStorage).toEqual([]);
    expect((await readFile(path)).equals(files.mmdb)).toBe(true);
  });

  it("starts over if the part is damaged or longer than the file", async () => {
    for (const damage of [
      (bytes: Buffer) => bytes.fill(1, 500, 600),
      (bytes: Buffer) => Buffer.concat([bytes, files.mmdb]),
    ]) {
      const path = depot.path("damaged.mmdb");
      await interrupted(path, 2_000_000);
      const [part = ""] = await depot.parts(path);
      await writeFile(part, damage(await readFile(part)));
      expect(await client(1).download(ID, "mmdb", { to: path })).toMatchObject({ resumedFromBytes: 0 });
      expect((await readFile(path)).equals(files.mmdb)).toBe(true);
    }
  });

  it("discards the part if there is a new build", async () => {
    const path = depot.path("dropped.mmdb");
    await interrupted(path, 2_000_000);
    const other = filesOf("third");
    await depot.publish(other);
    expect(await client().download(ID, "mmdb", { to: path })).toMatchObject({ resumedFromBytes: 0 });
    expect((await readFile(path)).equals(other.mmdb)).toBe(true);
    expect(await depot.parts(path)).toEqual([]);
    ({ id: buildId } = await depot.publish(files));
  });

  it("uses another machine's part, and deletes it only after an hour", async () => {
    const path = depot.path("shared.mmdb");
    await interrupted(path, 3_000_000);
    const [part = ""] = await depot.parts(path);
    const foreign = part.replace(/\.[0-9a-f]{8}-\d+-/, ".00000000-1-");
    await copyFile(part, foreign);
    expect(await client().download(ID, "mmdb", { to: path })).toMatchObject({ resumedFromBytes: 3_000_000 });
    expect(await depot.parts(path)).toEqual([foreign]);
    await utimes(foreign, new Date(0), new Date(0));
    await client().download(ID, "mmdb", { to: path });
    expect(await depot.parts(path)).toEqual([]);
  });

  it("fails with kind aborted after an abort signal, and can be resumed", async () => {
    const path = depot.path("aborted.mmdb");
    const controller = new AbortController();
    front.storage = () => ({ stallAfterBytes: 3_000_000 });
    const running = client().download(ID, "mmdb", { to: path, signal: controller.signal });
    running.catch(() => {});
    const partBytes = async () => (await stat((await depot.parts(path))[0] ?? path).catch(() => undefined))?.size ?? 0;
    await vi.waitUntil(async () => (await partBytes()) > 2_000_000, { timeout: 60_000 });
    controller.abort();
    await expect(running).rejects.toMatchObject({ kind: "aborted", retryable: false });
    front.reset();
    const { resumedFromBytes } = await client().download(ID, "mmdb", { to: path });
    expect(resumedFromBytes).toBeGreaterThan(1_000_000);
    const signal = AbortSignal.abort();
    await expect(client().download(ID, "mmdb", { to: path, signal })).rejects.toMatchObject({ kind: "aborted" });
    await expect(client().list({ signal })).rejects.toMatchObject({ kind: "aborted" });
  });
});

describe("concurrent downloads to the same target", () => {
  it("do not disturb each other", async () => {
    const path = depot.path("contested.mmdb");
    front.storage = () => ({ cutAfterBytes: 1_500_000 });
    await Promise.all(Array.from({ length: 4 }, () => client(5).download(ID, "mmdb", { to: path })));
    expect((await readFile(path)).equals(files.mmdb)).toBe(true);
    expect(await depot.parts(path)).toEqual([]);
  });
});

describe("a path that cannot be written", () => {
  it("fails with kind disk and leaves nothing behind", async () => {
    await mkdir(depot.path("folder.mmdb"));
    for (const [name, code] of [
      ["nowhere/x.mmdb", "ENOENT"],
      ["folder.mmdb", "EISDIR"],
    ] as const) {
      const running = client().download(ID, "mmdb", { to: depot.path(name) });
      await expect(running).rejects.toMatchObject({ kind: "disk", code, retryable: false });
    }
    expect(await depot.parts(basename("folder.mmdb"))).toEqual([]);
  });
});

describe("a download to a stream", () => {
  it("writes all bytes to a Node stream across cut connections and leaves it open", async () => {
    front.storage = () => ({ cutAfterBytes: 1_000_000 });
    const stream = new PassThrough();
    const received = buffer(stream);
    const result = await client(5).download(ID, "csvgz", { to: stream });
    expect(result).toEqual({
      sizeBytes: files.csvgz.length,
      sha256: sha256Of(files.csvgz),
      buildId,
      resumedFromBytes: 0,
      method: "file",
      transferredBytes: files.csvgz.length,
    });
    stream.end();
    expect((await received).equals(files.csvgz)).toBe(true);
  });

  it("writes all bytes to a web stream and releases it", async () => {
    const pieces: Uint8Array[] = [];
    const to = new WritableStream<Uint8Array>({ write: (piece) => void pieces.push(piece) });
    await client().download(ID, "mmdb", { to });
    expect(Buffer.concat(pieces).equals(files.mmdb)).toBe(true);
    expect(to.locked).toBe(false);
  });

  it("fails with kind corrupt if the bytes were wrong", async () => {
    front.storage = ({ headers }) => (headers.range ? undefined : { wrongByteAt: 1000 });
    const stream = new PassThrough().resume();
    await expect(client(5).download(ID, "mmdb", { to: stream })).rejects.toMatchObject({ kind: "corrupt" });
  });

  it("fails with kind disk if the stream is destroyed", async () => {
    const stream = new PassThrough();
    stream.on("error", () => {});
    const running = client().download(ID, "mmdb", { to: stream });
    await once(stream, "readable");
    stream.destroy();
    await expect(running).rejects.toMatchObject({ kind: "disk" });
  });
});
