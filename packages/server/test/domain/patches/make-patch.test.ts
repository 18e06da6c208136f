import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makePatchInThread, type PatchWork } from "../../../src/domain/patches/make-patch.ts";

const FILE = Buffer.from("192.0.2.0/24,hosting\n".repeat(10_000));
const LIMITS = { timeoutMs: 60_000, memoryMb: 512 };

let folder: string;
let work: PatchWork;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "patch-"));
  const [resultPath, patchPath] = ["result", "patch"].map((name) => join(folder, name));
  await writeFile(String(resultPath), FILE);
  work = {
    format: "mmdb",
    basePath: null,
    resultPath: String(resultPath),
    patchPath: String(patchPath),
    maxPatchBytes: FILE.length * 0.8,
    resultBytes: FILE.length,
    resultSha256: digestOf(FILE),
  };
});
afterAll(() => rm(folder, { recursive: true }));

const make = (but: Partial<PatchWork> = {}, limits = LIMITS, signal = new AbortController().signal) =>
  makePatchInThread({ ...work, ...but }, limits, signal);

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

it("describes the patch that it has made", async () => {
  const made = await make();
  const patch = await readFile(work.patchPath);
  expect(made).toEqual({ sizeBytes: patch.length, sha256: digestOf(patch) });
  expect(await make({ maxPatchBytes: patch.length })).toEqual(made);
});

it("refuses a patch to a file that is not the published one", async () => {
  const basePath = join(folder, "base");
  await writeFile(basePath, FILE.subarray(7));
  const patchPath = join(folder, "patch from a base");
  expect(await make({ basePath, patchPath })).toEqual({ sizeBytes: expect.any(Number), sha256: expect.any(String) });
  await rm(patchPath);
  const dropped = await make({ basePath, patchPath, resultSha256: "0".repeat(64) });
  expect(dropped).toEqual({ dropped: expect.stringMatching(/not the published file/) });
});

it.each([
  ["is too large", { maxPatchBytes: 10 }, LIMITS, /^it would be larger than 0 % of the file$/],
  ["does not lead to the published file", { resultSha256: "0".repeat(64) }, LIMITS, /not the published file/],
  ["takes too long", {}, { ...LIMITS, timeoutMs: 1 }, /^making it takes more than 0 s$/],
] as const)("drops a patch that %s", async (_, but, limits, reason) => {
  expect(await make(but, limits)).toEqual({ dropped: expect.stringMatching(reason) });
});

it("fails if a file cannot be read, or the server is stopped", async () => {
  await expect(make({ resultPath: join(folder, "missing") })).rejects.toThrow(/missing/);
  await expect(make({}, LIMITS, AbortSignal.abort(new Error("stopping")))).rejects.toThrow("stopping");
  const stopping = new AbortController();
  const making = make({}, LIMITS, stopping.signal);
  stopping.abort(new Error("stopping"));
  await expect(making).rejects.toThrow("stopping");
});
