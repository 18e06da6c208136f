import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Another version of Node.js to test the package with: one from PATH, or else one installed from npm. */
export async function otherNode(major: number): Promise<string> {
  for (const directory of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(directory, "node");
    const version = await run(path, ["--version"]).then(
      ({ stdout }) => stdout,
      () => "",
    );
    if (version.startsWith(`v${major}.`)) return path;
  }
  const directory = await mkdtemp(join(tmpdir(), `dbdepot-node-${major}-`));
  await run("npm", [
    "install",
    "--no-save",
    "--prefix",
    directory,
    `node-${process.platform}-${process.arch}@${major}`,
  ]);
  return join(directory, "node_modules/.bin/node");
}
