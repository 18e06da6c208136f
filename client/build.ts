/**
 * Bundles the library and the command into dist/ (or the directory given as an argument), for Node 20.18 or newer and
 * without runtime dependencies, and writes the type declarations. Run it with `npm run build -w client`.
 */
import { execFileSync } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = resolve(process.argv[2] ?? `${here}dist`);

await rm(dist, { recursive: true, force: true });
const { output } = await build({
  cwd: here,
  input: { index: `${here}src/index.ts`, "command/main": `${here}src/command/main.ts` },
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
const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
await writeFile(join(dist, "THIRD_PARTY_LICENSES.txt"), await licencesOf(modules));

const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "--project", `${here}tsconfig.types.json`, "--outDir", dist], {
  stdio: "inherit",
});

/** The licences of the bundled packages, which must accompany every copy of them. */
async function licencesOf(modules: readonly string[]): Promise<string> {
  const roots = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const texts = [...new Set(roots)].sort().map(async (root) => {
    const { name, version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const file = (await readdir(root)).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return `${name} ${version}\n\n${await readFile(join(root, file), "utf8")}`;
  });
  return (await Promise.all(texts)).join("\n\n");
}
