import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { probe } from "../../../src/adapters/objects/probe.ts";
import {
  NoSuchObject,
  ObjectExists,
  type ObjectStore,
  RangeNotInObject,
  type StoredObject,
} from "../../../src/domain/builds/object-store.ts";
import { linkContract, linkTerms } from "./link.contract.ts";
import type { StoreUnderTest } from "./store-under-test.ts";

const MIB = 1024 * 1024;
const ODD_KEYS = ["with space/a b", "plus+and~tilde", "ünï/çødé 漢字 🗄", "!*'()/&=?#%25@:;,$", "a%2Fb/%", "a..b/c.d"];

/** The behaviour that all stores have in common. Covers only what all S3 servers agree on. */
export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let underTest: StoreUnderTest;
    let store: ObjectStore;
    beforeAll(async () => {
      underTest = await open();
      store = underTest.store;
    });
    afterAll(() => underTest?.close());

    const put = (key: string, content: string | Buffer) => store.put(key, Readable.from([Buffer.from(content)]));
    const link = (key: string) => store.link(key, linkTerms());

    describe("objects", () => {
      it("are returned as they were written", async () => {
        const before = Date.now();
        const stored = await put("read/whole", "0123456789");
        expect(stored).toMatchObject({ key: "read/whole", sizeBytes: 10 });
        expect(Math.abs(stored.modified.getTime() - before)).toBeLessThan(60_000);
        expect(await store.stat("read/whole")).toEqual(stored);
        expect(await text(await store.read("read/whole"))).toBe("0123456789");
      });

      it("can be empty", async () => {
        expect(await store.put("read/empty", Readable.from([]))).toMatchObject({ sizeBytes: 0 });
        expect(await text(await store.read("read/empty"))).toBe("");
        const response = await fetch(link("read/empty"));
        expect([response.status, await response.text()]).toEqual([200, ""]);
      });

      it.each([
        [{ first: 0, last: 0 }, "0"],
        [{ first: 3, last: 5 }, "345"],
        [{ first: 9, last: 9 }, "9"],
        [{ first: 8, last: 100 }, "89"],
      ])("can be read by range: %o", async (range, expected) => {
        await put(`range/${range.first}-${range.last}`, "0123456789");
        expect(await text(await store.read(`range/${range.first}-${range.last}`, range))).toBe(expected);
      });

      it("cannot be read past their end", async () => {
        await put("range/past-end", "0123456789");
        await expect(store.read("range/past-end", { first: 10, last: 12 })).rejects.toThrow(RangeNotInObject);
      });

      it("that do not exist are reported as missing, and removing them succeeds", async () => {
        expect(await store.stat("does not/exist")).toBeUndefined();
        await expect(store.read("does not/exist")).rejects.toThrow(NoSuchObject);
        await expect(store.remove("does not/exist")).resolves.toBeUndefined();
        const response = await fetch(link("does not/exist"));
        expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("NoSuchKey")]);
      });

      it.each(ODD_KEYS)("can have the key %s", async (odd) => {
        const key = `odd/${odd}`;
        await put(key, key);
        expect(await text(await store.read(key))).toBe(key);
        expect(await listed(store, key)).toMatchObject([{ key, sizeBytes: Buffer.byteLength(key) }]);
        const response = await fetch(link(key));
        expect([response.status, await response.text()]).toEqual([200, key]);
        await store.remove(key);
        expect(await store.stat(key)).toBeUndefined();
      });

      it.each(["", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", ".partial/a", "a/.b", "a\\b", "a\0b", "a\nb"])(
        "cannot have the key %j",
        async (key) => {
          const body = Readable.from([Buffer.from("x")]);
          await expect(store.put(key, body)).rejects.toThrow(TypeError);
          expect(body.destroyed).toBe(true);
          await expect(store.stat(key)).rejects.toThrow(TypeError);
          await expect(store.read(key)).rejects.toThrow(TypeError);
          await expect(store.remove(key)).rejects.toThrow(TypeError);
          expect(() => link(key)).toThrow(TypeError);
        },
      );

      it("can be larger than one part of an upload", async () => {
        const sent = createHash("sha256");
        const stored = await store.put("large/whole", chunks(21 * MIB + 7, sent));
        expect(stored.sizeBytes).toBe(21 * MIB + 7);
        const sha256 = sent.digest("hex");
        const read = createHash("sha256");
        await pipeline(await store.read("large/whole"), read);
        expect(read.digest("hex")).toBe(sha256);
        const fetched = Buffer.from(await (await fetch(link("large/whole"))).arrayBuffer());
        expect(createHash("sha256").update(fetched).digest("hex")).toBe(sha256);
        const tail = await buffer(await store.read("large/whole", { first: 20 * MIB, last: 21 * MIB + 6 }));
        expect(tail.equals(fetched.subarray(20 * MIB))).toBe(true);
      });

      it("free their resources if a reader stops early", async () => {
        await put("abandoned", randomBytes(4 * MIB));
        for (let i = 0; i < 80; i++) {
          const stream = await store.read("abandoned");
          await once(stream, "readable");
          stream.destroy();
          await once(stream, "close");
        }
        expect((await buffer(await store.read("abandoned"))).length).toBe(4 * MIB);
      });

      it("pass the probe of doctor, which removes its own object", async () => {
        await probe(store);
        expect(await listed(store, "probe/")).toEqual([]);
      });
    });

    describe("list", () => {
      it("returns exactly the keys that start with the prefix", async () => {
        for (const key of ["list/a/1", "list/a/2", "list/ab", "list/b/1/deep", "lisa"]) await put(key, key);
        const keys = async (prefix: string) => (await listed(store, prefix)).map(({ key }) => key).sort();
        expect(await keys("list/")).toEqual(["list/a/1", "list/a/2", "list/ab", "list/b/1/deep"]);
        expect(await keys("list/a")).toEqual(["list/a/1", "list/a/2", "list/ab"]);
        expect(await keys("list/a/")).toEqual(["list/a/1", "list/a/2"]);
        expect(await keys("lis")).toEqual(["lisa", "list/a/1", "list/a/2", "list/ab", "list/b/1/deep"]);
        expect(await keys("list/c")).toEqual([]);
        expect(await keys("../")).toEqual([]);
        expect(await keys("")).toEqual(expect.arrayContaining(["lisa", "list/ab"]));
      });

      it("returns the same size and time as stat", async () => {
        await put("agree", "1234");
        const [object] = await listed(store, "agree");
        const stat = await store.stat("agree");
        expect(object).toMatchObject({ key: "agree", sizeBytes: 4 });
        // S3 returns seconds from one operation and milliseconds from the other.
        expect(Math.abs((object?.modified.getTime() ?? 0) - (stat?.modified.getTime() ?? 0))).toBeLessThan(1000);
      });
    });

    describe("put", () => {
      it("refuses a key that exists, and keeps its object", async () => {
        await put("once/small", "first");
        let isRead = false;
        const body = new Readable({
          read() {
            isRead = true;
            this.push("second");
            this.push(null);
          },
        });
        await expect(store.put("once/small", body)).rejects.toThrow(ObjectExists);
        expect(body.destroyed).toBe(true);
        expect(isRead).toBe(false); // The body may be gigabytes, so it is not read.
        expect(await text(await store.read("once/small"))).toBe("first");
      });

      it("succeeds once if several run concurrently for the same key", async () => {
        // The bodies end together, after every put has checked that the key is free and started to read its body.
        const bodies = ["a", "b", "c", "d"].map((letter) => ({ letter, body: new PassThrough() }));
        const puts = bodies.map(({ body }) => store.put("once/race", body));
        const settled = Promise.allSettled(puts);
        for (const { letter, body } of bodies) body.write(letter);
        await expect.poll(() => bodies.every(({ body }) => body.readableLength === 0)).toBe(true);
        for (const { letter, body } of bodies) body.end(letter.repeat(999));
        const results = await settled;
        const winner = results.findIndex(({ status }) => status === "fulfilled");
        expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        for (const result of results) {
          if (result.status === "rejected") expect(result.reason).toBeInstanceOf(ObjectExists);
        }
        expect(await text(await store.read("once/race"))).toBe(bodies[winner]?.letter.repeat(1000));
      });

      it("accepts the key of a removed object", async () => {
        await put("once/again", "first");
        await store.remove("once/again");
        await put("once/again", "second");
        expect(await text(await store.read("once/again"))).toBe("second");
      });
    });

    describe("a failed put", () => {
      it.each([
        ["immediately", 0],
        ["during the first part", MIB],
        ["after some parts", 20 * MIB],
      ])("leaves nothing behind if its source fails %s", async (_, bytes) => {
        const body = chunks(bytes, createHash("sha256"), new Error("the source broke"));
        await expect(store.put("failed/source", body)).rejects.toThrow("the source broke");
        await expectNothing(store, "failed/source");
      });

      it("leaves nothing behind if its source is destroyed", async () => {
        const body = new PassThrough();
        const putting = store.put("failed/cut", body);
        const refused = expect(putting).rejects.toThrow();
        body.write(Buffer.alloc(100_000));
        await expect.poll(() => body.readableLength).toBe(0);
        body.destroy();
        await refused;
        await expectNothing(store, "failed/cut");
      });

      it("leaves nothing behind if its source was destroyed before the call", async () => {
        const body = Readable.from([Buffer.from("x")]);
        body.destroy();
        await expect(store.put("failed/before", body)).rejects.toThrow();
        await expectNothing(store, "failed/before");
      });
    });

    linkContract(() => underTest);
  });
}

async function listed(store: ObjectStore, prefix: string): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const object of store.list(prefix)) objects.push(object);
  return objects;
}

/** Checks that neither the object nor a partial upload exists. */
async function expectNothing(store: ObjectStore, key: string): Promise<void> {
  expect(await store.stat(key)).toBeUndefined();
  expect(await listed(store, key)).toEqual([]);
  expect(await store.sweepPartial(new Date(Date.now() + 3600_000))).toBe(0);
}

/**
 * Returns a stream in which no two upload parts are equal, in chunks of an odd size, that ends with the error if one is
 * given.
 */
function chunks(sizeBytes: number, digest: ReturnType<typeof createHash>, error?: Error): Readable {
  const block = randomBytes(100_003);
  return Readable.from(
    (function* () {
      for (let left = sizeBytes; left > 0; left -= block.length) {
        block.writeUInt32LE(left, 0);
        const chunk = Buffer.from(block.subarray(0, left));
        digest.update(chunk);
        yield chunk;
      }
      if (error) throw error;
    })(),
  );
}
