import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

/** Writes the tarballs, their SBOMs and SHA256SUMS to `directory`, and returns the names of the files. */
export async function pack(directory: string): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const files: string[] = [];
  for (const workspace of ["packages/server", "packages/client"]) {
    const options = ["--json", "--workspace", workspace, "--pack-destination", directory];
    const { stdout } = await run("npm", ["pack", ...options], { cwd: ROOT });
    // The build prints its own output before the JSON.
    const [{ filename }] = JSON.parse(stdout.slice(stdout.search(/^\[/m)));
    const sbom = `${basename(filename, ".tgz")}.cdx.json`;
    await copyFile(join(ROOT, workspace, "dist/sbom.cdx.json"), join(directory, sbom));
    files.push(filename, sbom);
  }
  const sums = files.map(async (file) => `${await sha256(join(directory, file))}  ${file}\n`);
  await writeFile(join(directory, "SHA256SUMS"), (await Promise.all(sums)).join(""));
  return [...files, "SHA256SUMS"];
}

async function sha256(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
