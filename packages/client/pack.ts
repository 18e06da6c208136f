import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Builds the client and packs it into `folder`, so that the server can serve it. The tarball is the same, byte for
 * byte, as the one of a release. The work happens in a temporary directory, because several builds may run at once.
 */
export async function packClient(folder: string): Promise<void> {
  const staging = await mkdtemp(join(tmpdir(), "dbdepot-client-package-"));
  try {
    for (const name of ["package.json", "README.md", "LICENSE", "bin"]) {
      await cp(join(import.meta.dirname, name), join(staging, name), { recursive: true });
    }
    await run(process.execPath, [join(import.meta.dirname, "build.ts"), join(staging, "dist")]);
    const options = ["--json", "--ignore-scripts", "--pack-destination", staging];
    const { stdout } = await run("npm", ["pack", ...options], { cwd: staging });
    const [{ filename }] = JSON.parse(stdout);
    await cp(join(staging, filename), join(folder, "dbdepot-client.tgz"));
  } finally {
    await rm(staging, { recursive: true });
  }
}
