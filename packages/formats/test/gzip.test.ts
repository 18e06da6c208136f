import { Readable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { inChunks } from "../../server/test/domain/builds/sample-build.ts";
import { GZIP_OPTIONS, withFixedGzipHeader } from "../src/gzip.ts";

it.each([1, 7, 10, 1000])("sets the operating system in the header, in chunks of %i bytes", async (size) => {
  const windows = gzipSync("network\n", GZIP_OPTIONS);
  windows[9] = 10;
  const fixed = Buffer.concat(
    await Readable.from(withFixedGzipHeader(Readable.from(inChunks(windows, size)))).toArray(),
  );
  expect(fixed.subarray(0, 10).toString("hex")).toBe("1f8b0800000000000003");
  expect(gunzipSync(fixed).toString()).toBe("network\n");
});
