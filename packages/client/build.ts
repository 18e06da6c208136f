/**
 * Bundles the library and the command into dist/ (or the directory given as an argument), for Node 22.19 or newer and
 * without runtime dependencies, and writes the type declarations. Run it with `npm run build -w @dbdepot/client`.
 */
import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { buildDefines } from "../../scripts/release/commit.ts";
import { describeBundle } from "../../scripts/release/third-party.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = resolve(process.argv[2] ?? `${here}dist`);

await rm(dist, { recursive: true, force: true });
const { output } = await build({
  cwd: here,
  input: {
    index: `${here}src/index.ts`,
    "command/main": `${here}src/command/main.ts`,
    // Loaded by the chunk that downloads patches, which is in the same directory.
    "patch-worker": `${here}src/download/patch-worker.ts`,
  },
  platform: "node",
  external: /^node:/,
  output: {
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  },
  transform: { target: "node22", define: buildDefines() },
  logLevel: "warn",
});
const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
await describeBundle(dist, modules, here);

// `npm run check` checks the types; here only their declarations are written.
const typescript = dirname(createRequire(import.meta.url).resolve("typescript-7/package.json"));
const tsc = join(typescript, "bin/tsc");
execFileSync(process.execPath, [tsc, "--project", `${here}tsconfig.types.json`, "--noCheck", "--outDir", dist], {
  stdio: "inherit",
});
