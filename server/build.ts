/**
 * `node server/build.ts [FOLDER]`: the server and all that it needs as a few files, in server/dist. From a thousand files
 * it starts three times as slowly and takes 40 MB more (docs/decisions/0007-bundle.md).
 */
import { copyFile, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";

const SOURCE = join(import.meta.dirname, "src");
/** Threads begin with a file of their own. */
const ENTRIES = ["main.ts", "builds/inspection/inspection-thread.ts", "sql/sqlite/worker.ts"];
/** Read while the server runs, beside the code that reads them. */
const ASSETS = ["http/openapi/guide.md", "http/openapi/page/style.css"];

const folder = process.argv[2] ?? join(import.meta.dirname, "dist");
const fresh = `${folder}.new`;
const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((path) => [basename(path, ".ts"), join(SOURCE, path)])),
  platform: "node",
  // Optional for pg, and not installed.
  external: ["pg-native"],
});
// The names stay, for whoever reads a stack trace.
await bundle.write({ dir: fresh, minify: { compress: true, mangle: false, codegen: true } });
for (const name of await readdir(fresh)) await escapeIn(join(fresh, name));
for (const path of ASSETS) await copyFile(join(SOURCE, path), join(fresh, basename(path)));
await rm(folder, { recursive: true, force: true });
await rename(fresh, folder);

/** A single character beyond ASCII would make V8 hold all of the file's text with two bytes for each: 1 MB in all. */
async function escapeIn(path: string): Promise<void> {
  const text = await readFile(path, "utf8");
  const escaped = text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  await writeFile(path, escaped);
}
