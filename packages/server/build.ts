/**
 * `node packages/server/build.ts [FOLDER]` bundles the server and its dependencies into a few files, by default in packages/server/dist, and
 * builds the console and packs the client that it serves.
 */
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "rolldown";
import { buildDefines } from "../../scripts/release/commit.ts";
import { describeBundle } from "../../scripts/release/third-party.ts";
import { packClient } from "../client/pack.ts";
import { buildConsole } from "../console/build.ts";

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

process.stdout.write("Building the server, the client and the console, which can take half a minute ...\n");
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
const consoleModules = await buildConsole(join(folder, "console"));
await describeBundle(folder, [...modules, ...consoleModules], import.meta.dirname);
await packed;
await rm(`${target}.old`, { recursive: true, force: true });
await rename(target, `${target}.old`).catch(() => {});
await rename(folder, target);
await rm(`${target}.old`, { recursive: true, force: true });
