import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

/** Those of other programs are undefined if they are not installed. */
const files: Record<string, Buffer | undefined> = {
  "GNU gzip": output("gzip", ["-9", "-c"]),
  pigz: output("pigz", ["-c"]),
  Python: output("python3", ["-c", PYTHON]),
  "several members": Buffer.concat(members),
};

function output(program: string, args: string[]): Buffer | undefined {
  const { status, stdout } = spawnSync(program, args, { input: text, maxBuffer: 2 ** 24 });
  return status === 0 ? stdout : undefined;
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

    it.each(["GNU gzip", "pigz", "several members"])("says that a file of %s gets no patches", async (program) => {
      const file = files[program];
      if (!file) return;
      const id = await depot.addVersion(`noted_${program.replace(" ", "_")}_v1`, ["csvgz"]);
      const { notes, build } = await publish(id, file);
      expect(notes).toEqual([expect.stringMatching(/^csvgz: .* no patches .*--recompress/)]);
      expect(build.files.csvgz?.sizeBytes).toBe(file.length);
    });

    it("says nothing about files that patches can reproduce", async () => {
      const id = await depot.addVersion("silent_v1", ["csvgz"]);
      expect((await publish(id, gzipSync(text))).notes).toEqual([]);
      expect((await publish(id, gzipSync(text, { level: 9 }))).notes).toEqual([]);
    });

    it.each(Object.keys(files))(
      "compresses a file of %s again, with the same rows and a correct size",
      async (program) => {
        const file = files[program];
        if (!file) return;
        const id = await depot.addVersion(`again_${program.replace(" ", "_")}_v1`, ["csvgz"]);
        const { build, notes } = await publish(id, file, { recompress: true });
        expect(notes).toEqual([]);
        expect(await depot.expectServed(id)).toEqual(build);
        const stored = await buffer(await depot.objects.read(build.files.csvgz?.objectKey ?? ""));
        expect(gunzipSync(stored).equals(text)).toBe(true);
        expect(stored.equals(gzipSync(text, GZIP_OPTIONS))).toBe(true);
        expect((await publish(id, file, { recompress: true })).isUnchanged).toBe(true);
      },
    );

    it("does so for each build if the version says so, unless the publication says otherwise", async () => {
      const id = await depot.addVersion("set_v1", ["csvgz"]);
      await updateVersion(depot.operation(), id, { recompress: true });
      const file = files["several members"] as Buffer;
      expect((await publish(id, file)).build.files.csvgz?.sizeBytes).not.toBe(file.length);
      expect((await publish(id, file, { recompress: false })).build.files.csvgz?.sizeBytes).toBe(file.length);
    });

    it("refuses damaged files, and stores nothing of them", async () => {
      const id = await depot.addVersion("damaged_v1", ["csvgz"]);
      const file = files["several members"] as Buffer;
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
      for (const part of inChunks(files["several members"] as Buffer, reused.length)) {
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
