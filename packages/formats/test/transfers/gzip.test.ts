import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { gzipped } from "../../src/transfers/gzip.ts";

describe("a compressed stream", () => {
  it("contains the same bytes, however they are divided into chunks", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i) % 251));
    const results = [];
    for (const size of [1000, 65_536, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        Buffer.from(bytes.subarray(i * size, (i + 1) * size)),
      );
      results.push(await buffer(gzipped(Readable.from(chunks))));
    }
    for (const result of results) expect(gunzipSync(result).equals(bytes)).toBe(true);
    expect(new Set(results.map((result) => result.toString("hex"))).size).toBe(1);
  });

  it("closes its source when it is destroyed", async () => {
    const source = new Readable({
      read() {
        this.push(Buffer.alloc(100_000, Math.random().toString()));
      },
    });
    const stream = gzipped(source);
    for await (const _chunk of stream) break;
    expect(stream.destroyed).toBe(true);
    await expect.poll(() => source.destroyed).toBe(true);
  });

  it("fails if its source fails", async () => {
    async function* failing() {
      yield Buffer.alloc(10);
      throw new Error("the disk is gone");
    }
    await expect(buffer(gzipped(failing()))).rejects.toThrow("the disk is gone");
  });
});
