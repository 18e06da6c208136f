import { execFileSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGzip } from "node:zlib";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";
import { expect, it } from "vitest";
import { useFolder } from "./folder.ts";

const ROWS = 2_000_000;
const PEAK_MAX_MB = 200;
const CHUNK_CHARACTERS = 1 << 16;

const folder = useFolder();

/** Yields many rows at once, because passing each one to the compressor takes ten times as long. */
function* text(isNextDay: boolean): Generator<string> {
  let rows = "network,name,score\n";
  for (let i = 0; i < ROWS; i++) {
    const score = Math.imul(i, 0x9e3779b1) >>> 16;
    const network = `${1 + (i >>> 16)}.${(i >>> 8) & 255}.${i & 255}.0/24`;
    rows += `${network},Provider ${score % 500},${isNextDay && i % 100 === 0 ? "changed" : score}\n`;
    if (rows.length > CHUNK_CHARACTERS) {
      yield rows;
      rows = "";
    }
  }
  yield rows;
}

it("a csv.gz of two million rows is patched in less than 200 MB of memory", async () => {
  const [base, result, patch] = ["base", "result", "patch"].map((name) => join(folder(), name)) as [
    string,
    string,
    string,
  ];
  await pipeline(text(false), createGzip(GZIP_OPTIONS), createWriteStream(base));
  await pipeline(text(true), createGzip(GZIP_OPTIONS), createWriteStream(result));
  // Run in their own process, so that the test runner's memory does not count.
  const patchFiles = (action: string) => {
    const child = fileURLToPath(new URL("./patch-files.ts", import.meta.url));
    return JSON.parse(
      execFileSync(process.execPath, [child, action, "csvgz", base, result, patch], { encoding: "utf8" }),
    );
  };
  const { patchBytes, resultBytes } = patchFiles("make");
  expect(patchBytes).toBeLessThan(resultBytes * 0.02);
  expect(patchFiles("apply").peakMegabytes).toBeLessThan(PEAK_MAX_MB);
});
