import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const CACHE = join(process.env.DBDEPOT_TEST_CACHE ?? "", "geoipupdate");

/** MaxMind's program, if `scripts/geoipupdate` has unpacked it from a Debian package. */
export function geoipupdatePath(version: 4 | 7): string | undefined {
  const path = join(CACHE, String(version), "usr/bin/geoipupdate");
  return existsSync(path) ? path : undefined;
}

interface Configuration {
  AccountID: number;
  LicenseKey: string;
  EditionIDs: string;
  Host: string;
}

/** An unchanged geoipupdate with its configuration file and its directory of databases. */
export class Updater {
  readonly directory: string;
  private readonly program: string;
  private readonly environment: Record<string, string>;

  constructor(program: string, directory: string, environment: Record<string, string> = {}) {
    this.program = program;
    this.directory = directory;
    this.environment = environment;
  }

  /** Returns the exit code and everything it prints. */
  async run(configuration: Configuration): Promise<{ exitCode: number; output: string }> {
    await mkdir(this.directory, { recursive: true });
    const file = join(this.directory, "GeoIP.conf");
    const lines = Object.entries({ ...configuration, DatabaseDirectory: this.directory, RetryFor: "0s" });
    await writeFile(file, lines.map(([name, value]) => `${name} ${value}\n`).join(""));
    try {
      const { stdout, stderr } = await run(this.program, ["-v", "-f", file], { env: this.environment });
      return { exitCode: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { exitCode: code, output: stdout + stderr };
    }
  }

  file(id: string): Promise<Buffer> {
    return readFile(join(this.directory, `${id}.mmdb`));
  }
}
