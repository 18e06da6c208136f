/**
 * Makes dist/, which is what customers install: JavaScript for Node 20 with nothing left to install, and its types.
 * `npm run build -w client`; with a folder as its argument it goes there.
 */
import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = resolve(process.argv[2] ?? `${here}dist`);
const entries = {
  index: `${here}src/index.ts`,
  // Found by its place beside the others when a file is examined.
  "examination-thread": `${here}src/download/examination-thread.ts`,
  "command/main": `${here}src/command/main.ts`,
};

await rm(dist, { recursive: true, force: true });
await build({
  cwd: here,
  input: entries,
  platform: "node",
  external: /^node:/,
  output: {
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  },
  transform: { target: "node20" },
  logLevel: "warn",
});
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "--project", `${here}tsconfig.types.json`, "--outDir", dist], {
  stdio: "inherit",
});
