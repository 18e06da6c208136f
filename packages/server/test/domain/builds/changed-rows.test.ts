import { once } from "node:events";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Build } from "../../../src/domain/builds/build.ts";
import { type Builds, changedRows } from "../../../src/domain/builds/changes/comparison.ts";
import { randomRows } from "./publish-rows.ts";
import { sampleBuild } from "./sample-build.ts";

const SORTED = { wholeRows: false, parts: 0 };
const HEADER = "network,provider\n";
const { document } = sampleBuild("vpn_ip_v1", { formats: ["csvgz"] });
const build = (objectKey: string) => ({ metadata: document, files: { csvgz: { objectKey } } }) as unknown as Build;
const builds: Builds = { before: build("before"), after: build("after") };

/** Reads files a few rows at a time, so that both are waited for as often as possible. */
function objects(files: Record<string, Buffer>) {
  return { read: async (key: string) => Readable.from(pieces(files[key] as Buffer)) };
}

function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 1024) yield bytes.subarray(at, at + 1024);
}

describe("changedRows", () => {
  const files = { before: gzipSync(HEADER + randomRows(20_000)), after: gzipSync(HEADER + randomRows(20_000)) };

  it("writes all rows while both files are being read", async () => {
    const rows = await text(changedRows(objects(files), builds, SORTED));
    const after = gunzipSync(files.after).toString();
    expect(rows === after.replaceAll(/^(?=.)/gm, "changed,").replace("changed,network", "op,network")).toBe(true);
  });

  it.each([0, 1, 20])("closes at once when it is destroyed after %d chunks", async (chunks) => {
    const stream = changedRows(objects(files), builds, SORTED);
    for (let i = 0; i < chunks; i++) await once(stream, "readable").then(() => stream.read());
    stream.destroy();
    await once(stream, "close");
  });

  it("closes at once when it is destroyed while the storage does not answer", async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const sources: Readable[] = [];
    const read = async () => {
      sources.push(new Readable({ read: () => resolve() }));
      return sources.at(-1) as Readable;
    };
    const stream = changedRows({ read }, builds, SORTED);
    stream.read();
    await asked;
    stream.destroy();
    await once(stream, "close");
    await expect.poll(() => sources.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it("fails if a file cannot be read", async () => {
    const read = async () => Readable.from(pieces(files.after.subarray(0, 5000)));
    await expect(text(changedRows({ read }, builds, SORTED))).rejects.toThrow("unexpected end of file");
  });
});
