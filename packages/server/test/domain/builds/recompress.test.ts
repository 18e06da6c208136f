import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import type { PublicationRequest } from "../../../src/domain/builds/publishing/publish-files.ts";
import { recompressed, withCsvgzSize } from "../../../src/domain/builds/publishing/recompress.ts";
import { updateVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { Depot } from "./depot.ts";
import { csvOf, inChunks, sampleBuild } from "./sample-build.ts";

const ROWS = 4000;
/** Digests, so that the file is large enough for patches when it is compressed. */
const text = Buffer.from(
  csvOf(ROWS).replace(/One/g, (word, at) => `${word} ${createHash("sha256").update(String(at)).digest("hex")}`),
);
const members = [text.subarray(0, 50_000), text.subarray(50_000)].map((part) => gzipSync(part));
const PYTHON = "import gzip, sys; sys.stdout.buffer.write(gzip.compress(sys.stdin.buffer.read(), 9))";

const severalMembers = Buffer.concat(members);

/** Files of other compressors, and the programs that write them. */
const SOURCES = [
  { name: "GNU gzip", programs: ["gzip"], compress: () => output("gzip", "-9", "-c") },
  { name: "pigz", programs: ["pigz"], compress: () => output("pigz", "-c") },
  { name: "Python", programs: ["python3"], compress: () => output("python3", "-c", PYTHON) },
  { name: "several members", programs: [], compress: () => severalMembers },
];

function output(program: string, ...args: string[]): Buffer {
  return execFileSync(program, args, { input: text, maxBuffer: 2 ** 24 });
}

for (const stage of eitherStage()) {
  describe(`files of other compressors on ${stage.name}`, () => {
    let depot: Depot;
    beforeAll(async () => {
      depot = await Depot.open(stage);
    });
    afterAll(() => depot.dispose());

    function publish(id: string, csvgz: Buffer, options: Pick<PublicationRequest, "recompress"> = {}) {
      const { files, document } = sampleBuild(id, { formats: ["csvgz"], rows: ROWS });
      const size = { csvgz: csvgz.length };
      const sized = Buffer.from(document.toString().replace(/("size":\s*\{\s*"csvgz": )\d+/, `$1${size.csvgz}`));
      return depot.publish(id, { files: { ...files, csvgz }, document: sized }, options);
    }

    for (const { name, programs, compress } of SOURCES.filter(({ name }) => name !== "Python")) {
      it(`says that a file of ${name} gets no patches`, needs(...programs), async () => {
        const file = compress();
        const id = await depot.addVersion(`noted_${name.replace(" ", "_")}_v1`, ["csvgz"]);
        const { notes, build } = await publish(id, file);
        expect(notes).toEqual([expect.stringMatching(/^csvgz: .* no patches .*--recompress/)]);
        expect(build.files.csvgz?.sizeBytes).toBe(file.length);
      });
    }

    it("says nothing about files that patches can reproduce", async () => {
      const id = await depot.addVersion("silent_v1", ["csvgz"]);
      expect((await publish(id, gzipSync(text))).notes).toEqual([]);
      expect((await publish(id, gzipSync(text, { level: 9 }))).notes).toEqual([]);
    });

    for (const { name, programs, compress } of SOURCES) {
      it(`compresses a file of ${name} again, with the same rows and a correct size`, needs(...programs), async () => {
        const file = compress();
        const id = await depot.addVersion(`again_${name.replace(" ", "_")}_v1`, ["csvgz"]);
        const { build, notes } = await publish(id, file, { recompress: true });
        expect(notes).toEqual([]);
        expect(await depot.expectServed(id)).toEqual(build);
        const stored = await buffer(await depot.objects.read(build.files.csvgz?.objectKey ?? ""));
        expect(gunzipSync(stored).equals(text)).toBe(true);
        expect(stored.equals(gzipSync(text, GZIP_OPTIONS))).toBe(true);
        expect((await publish(id, file, { recompress: true })).isUnchanged).toBe(true);
      });
    }

    it("does so for each build if the version says so, unless the publication says otherwise", async () => {
      const id = await depot.addVersion("set_v1", ["csvgz"]);
      await updateVersion(depot.operation(), id, { recompress: true });
      const file = severalMembers;
      expect((await publish(id, file)).build.files.csvgz?.sizeBytes).not.toBe(file.length);
      expect((await publish(id, file, { recompress: false })).build.files.csvgz?.sizeBytes).toBe(file.length);
    });

    it("refuses damaged files, and stores nothing of them", async () => {
      const id = await depot.addVersion("damaged_v1", ["csvgz"]);
      const file = severalMembers;
      for (const damaged of [file.subarray(0, -9), Buffer.concat([file, Buffer.from("rest")]), Buffer.from("text")]) {
        await expect(publish(id, damaged, { recompress: true })).rejects.toThrow(/csvgz: the gzip data/);
      }
      expect((await depot.keys()).filter((key) => key.startsWith(id))).toEqual([]);
    });
  });
}

describe("recompressed", () => {
  it("accepts a source that reuses its buffer", async () => {
    const reused = Buffer.alloc(1000);
    async function* source() {
      for (const part of inChunks(severalMembers, reused.length)) {
        part.copy(reused);
        yield reused.subarray(0, part.length);
      }
    }
    expect(gunzipSync(Buffer.concat(await Array.fromAsync(recompressed(source())))).equals(text)).toBe(true);
  });
});

describe("withCsvgzSize", () => {
  it("changes the size and not one other byte", async () => {
    const { document } = sampleBuild("x_v1", { sampleRows: 5 });
    const { size } = JSON.parse(document.toString());
    const changed = await withCsvgzSize(document, 123);
    expect(changed.toString()).toBe(document.toString().replace(`"csvgz": ${size.csvgz},`, '"csvgz": 123,'));
    expect(JSON.parse(changed.toString()).size).toEqual({ ...size, csvgz: 123 });
  });

  it("leaves an invalid document as it is", async () => {
    const document = Buffer.from('{"size": {"csvgz": 1}}');
    expect(await withCsvgzSize(document, 2)).toBe(document);
  });
});
