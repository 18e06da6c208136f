import { type ChildProcess, execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { start } from "../../rigs/harness/processes.ts";

const run = promisify(execFile);
const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LANG: "C.UTF-8",
  // systemd does not run here: systemctl only changes files.
  SYSTEMD_OFFLINE: "1",
};

interface Started {
  child: ChildProcess;
  /** The first line of its standard output. */
  firstLine(): string;
  /** All that it has printed. */
  printed(): string;
}

/** A directory with the essential packages of Debian, in which commands run with chroot. */
export class BareDebian {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async create(root: string, packages: readonly string[]): Promise<BareDebian> {
    const release = readFileSync("/etc/os-release", "utf8");
    const [, codename = ""] = /^VERSION_CODENAME=(.*)$/m.exec(release) ?? [];
    await run("mmdebstrap", ["--quiet", "--variant=essential", `--include=${packages.join()}`, codename, root]);
    return new BareDebian(root);
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  /** Runs a script, and returns what it prints. */
  async run(script: string, user = "root"): Promise<string> {
    const [command = "", ...args] = this.#commandOf(script, user);
    return (await run(command, args, { env: ENVIRONMENT, maxBuffer: 10_000_000 })).stdout;
  }

  /** Starts one command. */
  start(command: string, user = "root"): Started {
    const [program = "", ...args] = this.#commandOf(`exec ${command}`, user);
    const child = start(program, args, { env: ENVIRONMENT, stdio: ["ignore", "pipe", "pipe"] });
    const printed = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        printed[name] += text;
      });
    }
    return {
      child,
      firstLine: () => printed.stdout.split("\n")[0] ?? "",
      printed: () => printed.stdout + printed.stderr,
    };
  }

  /** The settings of an installed unit. */
  unit(name: string): Record<string, string> {
    const text = readFileSync(this.path("usr/lib/systemd/system", name), "utf8");
    return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, setting, value]) => [setting, value]));
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  #commandOf(script: string, user: string): string[] {
    const as =
      user === "root"
        ? []
        : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--reset-env", "env", "LANG=C.UTF-8"];
    return ["chroot", this.root, ...as, "/bin/sh", "-euc", script];
  }
}
