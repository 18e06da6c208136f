import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parse, TomlError } from "smol-toml";

export interface ConfigFile {
  path: string;
  values: Record<string, unknown>;
  /** Returns the place of a setting as `path:line`. */
  locate(name: string): string;
  problems: string[];
}

const OTHERS_MODE = 0o077;

/** Returns undefined if no path is given and no file exists. Throws if the given file cannot be read. */
export function readConfigFile(
  path: string | undefined,
  environment: Record<string, string | undefined>,
): ConfigFile | undefined {
  if (path !== undefined) return parseConfigFile(resolve(path), readFileSync(path, "utf8"));
  for (const candidate of defaultPaths(environment)) {
    const text = readIfExists(candidate);
    if (text !== undefined) return parseConfigFile(candidate, text);
  }
  return undefined;
}

function defaultPaths(environment: Record<string, string | undefined>): string[] {
  const configHome = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config");
  return [resolve("dbdepot.toml"), join(configHome, "dbdepot", "dbdepot.toml"), "/etc/dbdepot/dbdepot.toml"];
}

function parseConfigFile(path: string, text: string): ConfigFile {
  const locate = (name: string) => `${path}:${lineOf(text, name)}`;
  try {
    const values = parse(text.replace(/^\ufeff/, ""));
    return { path, values, locate, problems: exposedKey(path, values, locate) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { path, values: {}, locate, problems: [`${path}:${error.line}: ${explain(error)}`] };
  }
}

/** Uses only the first line of the message: the others quote the file, which may contain the key. */
function explain({ message }: TomlError): string {
  const [reason = ""] = message.replace("Invalid TOML document: ", "").split("\n");
  return reason === "invalid value" ? `${reason}: put text in quotes, like url = "https://depot.example"` : reason;
}

/** The line on which a top-level name is assigned or its table begins. */
function lineOf(text: string, name: string): number {
  const pattern = new RegExp(`^\\s*\\[{0,2}\\s*["']?${name.replace(/\W/g, "\\$&")}["']?\\s*[=.\\]]`);
  return (
    Math.max(
      0,
      text.split("\n").findIndex((line) => pattern.test(line)),
    ) + 1
  );
}

/** Windows has no such permissions. */
function exposedKey(path: string, values: object, locate: ConfigFile["locate"]): string[] {
  if (process.platform === "win32" || (statSync(path).mode & OTHERS_MODE) === 0) return [];
  const exposed = [["key", "key"] as const, ["from_token", "token"] as const].filter(([name]) => name in values);
  return exposed.map(([name, what]) => `${locate(name)}: other users can read the ${what}: run "chmod 600 ${path}"`);
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The package's file in /etc/dbdepot belongs to its service. Other users have their own, or use options.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return undefined;
    throw error;
  }
}
