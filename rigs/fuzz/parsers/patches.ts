import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { applyPatch, makePatch, PatchError, type PatchKind } from "@dbdepot/patches";
import type { Parser } from "./parser.ts";

const HEADER_BYTES = 74;
const FASTEST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/**
 * Applies damaged patches. Most damage is done to the body before it is compressed: otherwise it would only test the
 * decompression.
 */
export async function patchParser(name: string, kind: PatchKind, base: Buffer, result: Buffer): Promise<Parser> {
  const directory = mkdtempSync(join(tmpdir(), "dbdepot-fuzz-"));
  const [basePath, resultPath, patchPath, outPath] = ["base", "result", "patch", "out"].map((name) =>
    join(directory, name),
  ) as [string, string, string, string];
  writeFileSync(basePath, base);
  writeFileSync(resultPath, result);
  await makePatch(kind, basePath, resultPath, patchPath, { maxPatchBytes: 1e6 });
  const patch = readFileSync(patchPath);
  const header = patch.subarray(0, HEADER_BYTES);
  const limits = { resultBytes: result.length, resultSha256: createHash("sha256").update(result).digest("hex") };
  const body = brotliDecompressSync(patch.subarray(HEADER_BYTES));
  return {
    name,
    examples: [body, body, body, patch],
    async parse(input) {
      const isPatch = input.subarray(0, header.length).equals(header);
      writeFileSync(patchPath, isPatch ? input : Buffer.concat([header, brotliCompressSync(input, FASTEST)]));
      rmSync(outPath, { force: true });
      try {
        await applyPatch(kind, basePath, patchPath, outPath, limits);
      } catch (error) {
        if (existsSync(outPath)) throw new Error("a refused patch left a file behind", { cause: error });
        throw error;
      }
      if (!readFileSync(outPath).equals(result)) throw new Error("a damaged patch was accepted");
    },
    isRefusal: (error) => error instanceof PatchError,
  };
}
