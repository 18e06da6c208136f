import { describe, expect, it } from "vitest";
import { readDocument } from "../../../src/domain/builds/document.ts";
import { sampleBuild } from "./sample-build.ts";

const small = JSON.parse(sampleBuild("vpn_ip_v1").document.toString());

/** Fills the document up to a size that is parsed on a worker thread. */
function large(changes: object): Buffer {
  return Buffer.from(JSON.stringify({ ...small, update_freq: "x".repeat(500_000), ...changes }));
}

describe("readDocument", () => {
  it("returns the same for a small document and a large one", async () => {
    const expected = await readDocument(Buffer.from(JSON.stringify(small)));
    expect(expected).toMatchObject({
      metadata: { id: "vpn_ip_v1", sampleFormats: ["csvgz", "mmdb"], sampleFaults: [] },
    });
    expect(await readDocument(large({}))).toEqual(expected);
  });

  it("reports the faults of a large document", async () => {
    expect(await readDocument(large({ entries: "many" }))).toEqual({ faults: ["entries: must be an integer"] });
    expect(await readDocument(large({}).subarray(0, -1))).toEqual({
      faults: [expect.stringMatching(/^not valid JSON: /)],
    });
  });

  it("refuses a document with too many values instead of validating each", async () => {
    const tooMany = { faults: ["has more than 50000 values"] };
    const columns = JSON.stringify({ ...small, schema: { csvgz: Array(400_000).fill(7) } });
    expect(await readDocument(Buffer.from(columns))).toEqual(tooMany);
    const nested = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
    expect(await readDocument(Buffer.from(nested))).toEqual(tooMany);
  });

  it("keeps the event loop free while it parses a large document", async () => {
    let ticks = 0;
    const count = setInterval(() => {
      ticks += 1;
    });
    await readDocument(large({}));
    clearInterval(count);
    expect(ticks).toBeGreaterThan(0);
  });
});
