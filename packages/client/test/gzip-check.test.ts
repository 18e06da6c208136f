import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { GzipCheck } from "../src/download/gzip-check.ts";

async function faultsOf(bytes: Uint8Array, chunkBytes: number): Promise<string[]> {
  const check = new GzipCheck();
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    await check.update(Buffer.from(bytes.subarray(at, at + chunkBytes)));
  }
  return (await check.end()).faults;
}

const chunkSizes = fc.integer({ min: 1, max: 64 });

it("accepts what gzip has made, whatever the chunk size", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), chunkSizes, async (content, chunkBytes) => {
      expect(await faultsOf(gzipSync(content), chunkBytes)).toEqual([]);
    }),
  );
});

it("ends with a fault for bytes that are not gzip, and for files that are cut off", async () => {
  const whole = gzipSync(Buffer.from("network,provider\n".repeat(50)));
  const cut = fc.integer({ min: 1, max: whole.length - 1 }).map((length) => whole.subarray(0, length));
  const other = fc.uint8Array({ minLength: 1 }).filter(([first]) => first !== 0x1f);
  await fc.assert(
    fc.asyncProperty(fc.oneof(cut, other), chunkSizes, async (bytes, chunkBytes) => {
      expect(await faultsOf(bytes, chunkBytes)).toHaveLength(1);
    }),
  );
});

it("ends for files with more bytes after the gzip data, and with changed bytes", async () => {
  const whole = gzipSync(Buffer.from("network,provider\n".repeat(50)));
  const longer = fc.uint8Array({ minLength: 1 }).map((more) => Buffer.concat([whole, more]));
  const changed = fc
    .record({ at: fc.nat(whole.length - 1), by: fc.integer({ min: 1, max: 255 }) })
    .map(({ at, by }) => whole.map((byte, index) => (index === at ? byte ^ by : byte)));
  await fc.assert(
    fc.asyncProperty(fc.oneof(longer, changed), chunkSizes, async (bytes, chunkBytes) => {
      expect((await faultsOf(bytes, chunkBytes)).length).toBeLessThan(2);
    }),
  );
});
