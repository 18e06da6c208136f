/**
 * `node packages/server/build.ts [FOLDER]` bundles the server and its dependencies into a few files, by default in packages/server/dist, and
 * builds the console and packs the client that it serves.
 */
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";

// Comes before the bundlers, which take seconds to load on a busy machine.
say("Building the client and the server ...");
const { build } = await import("rolldown");
const { buildDefines } = await import("../../scripts/release/commit.ts");
const { describeBundle } = await import("../../scripts/release/third-party.ts");
const { packClient } = await import("../client/pack.ts");
const { buildConsole } = await import("../console/build.ts");

const SOURCE = join(import.meta.dirname, "src");
/** The program, and the worker threads that it starts. */
const ENTRIES = [
  "main.ts",
  "domain/builds/changes/comparison-worker.ts",
  "domain/builds/document-worker.ts",
  "domain/builds/exporting/export-worker.ts",
  "domain/builds/inspection/inspection-worker.ts",
  "domain/patches/patch-worker.ts",
  "domain/sharing/table-worker.ts",
  "adapters/sql/sqlite/worker.ts",
];
/** Files that the code reads at run time from its own directory. */
const ASSETS = ["http/openapi/guide.md", "http/openapi/page/style.css"];

const target = process.argv[2] ?? join(import.meta.dirname, "dist");
// The old build stays until the new one is complete, because a running server loads parts of it on demand.
const folder = `${target}.new`;
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const packed = packClient(folder);
const { output } = await build({
  input: Object.fromEntries(ENTRIES.map((path) => [basename(path, ".ts"), join(SOURCE, path)])),
  platform: "node",
  transform: { define: buildDefines() },
  // An optional dependency of pg that we don't install.
  external: ["pg-native"],
  output: { dir: folder },
});
for (const path of ASSETS) await copyFile(join(SOURCE, path), join(folder, basename(path)));
const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
say("Building the console ...");
const consoleModules = await buildConsole(join(folder, "console"));
await describeBundle(folder, [...modules, ...consoleModules], import.meta.dirname);
await packed;
await rm(`${target}.old`, { recursive: true, force: true });
await rename(target, `${target}.old`).catch(() => {});
await rename(folder, target);
await rm(`${target}.old`, { recursive: true, force: true });

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
