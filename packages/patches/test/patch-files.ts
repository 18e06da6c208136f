import { stat } from "node:fs/promises";
import { sha256OfFile } from "../src/files.ts";
import { applyPatch, makePatch, type PatchError, type PatchKind } from "../src/index.ts";

// `node packages/patches/test/patch-files.ts make|apply csvgz|mmdb BASE RESULT PATCH` makes a patch, or applies it to write another
// copy of the result beside the patch. Prints the bytes of the patch, what it took and why it was refused as JSON.

const [action, kind, basePath, resultPath, patchPath] = process.argv.slice(2) as [
  string,
  PatchKind,
  string,
  string,
  string,
];
const { size: resultBytes } = await stat(resultPath);
let refused: string | undefined;
if (action === "make") {
  await makePatch(kind, basePath, resultPath, patchPath, { maxPatchBytes: resultBytes });
} else {
  const resultSha256 = await sha256OfFile(resultPath);
  const applying = applyPatch(kind, basePath, patchPath, `${patchPath}.result`, { resultBytes, resultSha256 });
  await applying.catch((error: PatchError) => {
    refused = error.code;
  });
}
const { size: patchBytes } = await stat(patchPath);
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const result = {
  action,
  kind,
  refused,
  resultBytes,
  patchBytes,
  cpuSeconds: Math.round((userCPUTime + systemCPUTime) / 1e5) / 10,
  peakMegabytes: Math.round(maxRSS / 1000),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
