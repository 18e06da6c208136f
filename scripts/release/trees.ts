/** The files of the packages, as they are installed below /usr. */
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { CommandUnknownOpts } from "@dbdepot/terminal/command";
import { buildProgram, type Program } from "@dbdepot/terminal/program";
import { EXAMPLE } from "../../packages/client/src/command/config/example.ts";
import { DBDEPOT } from "../../packages/client/src/command/program.ts";
import { DBDEPOT_SERVER } from "../../packages/server/src/main.ts";
import { SETTINGS } from "../../packages/server/src/settings/table.ts";
import { manPage } from "./man-page.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const FILES = join(ROOT, "deploy/packages");

export type Architecture = "x64" | "arm64";

export interface Product {
  /** The name of the package, the command and its directory in /usr/lib. */
  name: "dbdepot" | "dbdepot-server";
  /** The directory of its files in deploy/packages. */
  directory: "client" | "server";
  summary: string;
  units: readonly string[];
  /** The configuration in /etc/dbdepot, which upgrades keep. */
  config: { name: string; content: string };
  /** Its commands with their help. */
  commands: CommandUnknownOpts;
}

/** The package of the command runs `dbdepot sync` from a timer, with its state in /var/lib/dbdepot. */
const CLIENT_CONFIG = EXAMPLE.replace('url = "https://depot.example"', '# url = "https://depot.example"')
  .replace("(DBDEPOT_CLIENT_KEY_FILE). Paths are relative to this file.", "(DBDEPOT_CLIENT_KEY_FILE).")
  .replace('key_file = "dbdepot.key"', '# key_file = "/etc/dbdepot/dbdepot.key"')
  .replace('directory = "databases"', 'directory = "/var/lib/dbdepot"')
  .replace('databases = ["vpn_ip_v1"]', '# databases = ["vpn_ip_v1"]');

export const PRODUCTS: readonly Product[] = [
  {
    name: "dbdepot",
    directory: "client",
    summary: "Download databases and keep them up to date",
    units: ["dbdepot.service", "dbdepot.timer", "dbdepot-mirror.service"],
    config: { name: "dbdepot.toml", content: CLIENT_CONFIG },
    commands: commandsOf(DBDEPOT),
  },
  {
    name: "dbdepot-server",
    directory: "server",
    summary: "Service that a data vendor runs to distribute its databases",
    units: ["dbdepot-server.service"],
    config: { name: "server.env", content: serverEnvironment() },
    commands: commandsOf(DBDEPOT_SERVER),
  },
];

function commandsOf<C extends AsyncDisposable>(program: Program<C>): CommandUnknownOpts {
  return buildProgram(program, { env: {}, writeOut() {}, writeErr() {} }, () => async () => {});
}

/** Every setting, commented out, but for the directory that the package creates. */
function serverEnvironment(): string {
  const rows = Object.entries(SETTINGS).map(([name, { default: usual, meaning }]) =>
    name === "DBDEPOT_DATA_DIR"
      ? `# ${meaning}\n${name}=/var/lib/dbdepot-server\n`
      : `# ${meaning}\n# ${name}=${usual.includes("<data>") ? "" : usual}\n`,
  );
  return ["# Settings of dbdepot-server. Restart the service after a change.\n", ...rows].join("\n");
}

/** Writes the files of one product that are the same on every system, with Node.js for one architecture. */
export async function writeTree(prefix: string, product: Product, tarball: string, node: string): Promise<void> {
  const { name, directory, commands } = product;
  const library = join(prefix, "lib", name);
  for (const each of [library, join(prefix, "bin"), join(prefix, "share/doc", name), join(prefix, "share/man/man1")]) {
    await mkdir(each, { recursive: true });
  }
  await run("tar", ["-xzf", tarball, "-C", library, "--strip-components=1", "--no-same-owner"]);
  await copyFile(node, join(library, "node"));
  await chmod(join(library, "node"), 0o755);
  await copyFile(join(FILES, directory, "launcher"), join(prefix, "bin", name));
  await copyFile(join(ROOT, "LICENSE"), join(prefix, "share/doc", name, "copyright"));
  await writeFile(join(prefix, "share/man/man1", `${name}.1.gz`), gzipSync(manPage(commands), { level: 9 }));
  if (directory === "client") await writeCompletions(prefix, join(library, "bin/dbdepot.js"));
}

async function writeCompletions(prefix: string, command: string): Promise<void> {
  const places = {
    bash: "share/bash-completion/completions/dbdepot",
    zsh: "share/zsh/vendor-completions/_dbdepot",
    fish: "share/fish/vendor_completions.d/dbdepot.fish",
  };
  for (const [shell, path] of Object.entries(places)) {
    const { stdout } = await run(process.execPath, [command, "completion", shell]);
    await mkdir(join(prefix, path, ".."), { recursive: true });
    await writeFile(join(prefix, path), stdout);
  }
}

/** Adds what only packages contain: the units and the configuration. */
export async function addSystemFiles(root: string, { directory, units, config }: Product): Promise<void> {
  await mkdir(join(root, "usr/lib/systemd/system"), { recursive: true });
  for (const unit of units) await cp(join(FILES, directory, unit), join(root, "usr/lib/systemd/system", unit));
  await mkdir(join(root, "etc/dbdepot"), { recursive: true });
  await writeFile(join(root, "etc/dbdepot", config.name), config.content, { mode: 0o600 });
}

/** The scripts of a package, by the names that dpkg uses. */
export async function scriptsOf({ directory }: Product): Promise<Record<"postinst" | "prerm" | "postrm", string>> {
  const read = (name: string) => readFile(join(FILES, directory, name), "utf8");
  return { postinst: await read("postinst"), prerm: await read("prerm"), postrm: await read("postrm") };
}

/** Node.js for an architecture, from npm. Packages of other architectures than this one are checked with the lockfile. */
export async function nodeBinary(architecture: Architecture, directory: string): Promise<string> {
  const name = `node-linux-${architecture}`;
  if (architecture === process.arch) return join(ROOT, "node_modules", name, "bin/node");
  const lock = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  execFileSync("npm", ["pack", "--silent", `${name}@${version}`, "--pack-destination", directory], { stdio: "ignore" });
  const tarball = join(directory, `${name}-${version}.tgz`);
  const digest = createHash("sha512")
    .update(await readFile(tarball))
    .digest("base64");
  if (integrity !== `sha512-${digest}`) throw new Error(`${name}@${version} is not the package of the lockfile`);
  await run("tar", ["-xzf", tarball, "-C", directory, "package/bin/node"]);
  return join(directory, "package/bin/node");
}
