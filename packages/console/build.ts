import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { build } from "vite";

/**
 * Builds the console into `folder`, with compressed copies of each text file. Returns the paths of all bundled modules.
 */
export async function buildConsole(folder: string): Promise<string[]> {
  // Vite follows NODE_ENV, and would build React's development version if the caller runs with another one.
  process.env.NODE_ENV = "production";
  const built = await build({
    root: import.meta.dirname,
    configFile: join(import.meta.dirname, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: folder, emptyOutDir: true },
  });
  if (!("output" in built)) throw new Error("expected a single build");
  await compressFiles(folder);
  return built.output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}

async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries.filter((entry) => entry.isFile() && /\.(css|html|js|svg)$/.test(entry.name));
  for (const { parentPath, name } of texts) {
    const path = join(parentPath, name);
    const text = await readFile(path);
    await writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 }));
    // The default is the highest level.
    await writeFile(`${path}.br`, await promisify(brotliCompress)(text));
  }
}
