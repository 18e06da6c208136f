import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const client = join(import.meta.dirname, "..");

/** The built package in a node_modules directory, as after `npm install`. */
export class InstalledPackage {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async build(): Promise<InstalledPackage> {
    const installed = new InstalledPackage(await mkdtemp(join(tmpdir(), "dbdepot-package-")));
    for (const name of ["package.json", "bin"]) {
      await cp(join(client, name), join(installed.path, name), { recursive: true });
    }
    await run(process.execPath, [join(client, "build.ts"), join(installed.path, "dist")]);
    return installed;
  }

  get path(): string {
    return join(this.folder, "node_modules/@dbdepot/client");
  }

  async dispose(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
