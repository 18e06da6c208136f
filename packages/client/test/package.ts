import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** The client that `npm run build` packs for the server. It is the same, byte for byte, as the one of a release. */
export const CLIENT_TARBALL = join(import.meta.dirname, "../../server/dist/dbdepot-client.tgz");

/** The package in a node_modules directory, as after `npm install`. */
export class InstalledPackage {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async unpack(): Promise<InstalledPackage> {
    const installed = new InstalledPackage(await mkdtemp(join(tmpdir(), "dbdepot-package-")));
    await mkdir(installed.path, { recursive: true });
    await run("tar", ["-xzf", CLIENT_TARBALL, "--strip-components=1", "-C", installed.path]);
    return installed;
  }

  get path(): string {
    return join(this.folder, "node_modules/@dbdepot/client");
  }

  async dispose(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
