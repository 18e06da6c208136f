import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { run } from "./processes.ts";

/** Programs from outside npm, with what brings them on Debian. */
const PACKAGES = {
  wrk: "wrk",
  nginx: "nginx-light",
  curl: "curl",
  sha512sum: "coreutils",
  zcat: "gzip",
} as const;

export type Tool = keyof typeof PACKAGES;
/** Where each lies; those that are missing are not in it. */
export type Tools = Partial<Record<Tool, string>>;

/** nginx lies where only root's PATH leads. */
const FOLDERS = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];

export async function findTools(): Promise<Tools> {
  const found: Tools = {};
  for (const tool of Object.keys(PACKAGES) as Tool[]) {
    const path = await pathOf(tool);
    if (path && (tool !== "nginx" || (await hasSecureLink(path)))) found[tool] = path;
  }
  return found;
}

export function absence(tool: Tool): string {
  return `${tool} is not installed (Debian: apt-get install ${PACKAGES[tool]})`;
}

async function pathOf(tool: Tool): Promise<string | undefined> {
  const paths = FOLDERS.map((folder) => join(folder, tool));
  return Promise.any(paths.map((path) => access(path, constants.X_OK).then(() => path))).catch(() => undefined);
}

async function hasSecureLink(nginx: string): Promise<boolean> {
  // It says so on standard error.
  const { stdout } = await run("sh", ["-c", '"$0" -V 2>&1', nginx]);
  return stdout.includes("--with-http_secure_link_module");
}
