import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { LineFault } from "./line-faults.ts";
import { parseToml, type TomlTable } from "./toml.ts";

export interface ConfigFile {
  path: string;
  table: TomlTable;
  faults: LineFault[];
}

/** Others than the owner may read it or write to it. */
const OTHERS = 0o077;

/** Where a config file is looked for when none is named; the first one that is there counts. */
function usualPlaces(environment: Record<string, string | undefined>): string[] {
  const configHome = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config");
  return [resolve("dbdepot.toml"), join(configHome, "dbdepot", "dbdepot.toml"), "/etc/dbdepot/dbdepot.toml"];
}

/** Undefined when none is named and none is found. Throws when the one that is named cannot be read. */
export function readConfigFile(
  named: string | undefined,
  environment: Record<string, string | undefined>,
): ConfigFile | undefined {
  if (named !== undefined) return parsed(resolve(named), readFileSync(named, "utf8"));
  for (const path of usualPlaces(environment)) {
    const text = readIfThere(path);
    if (text !== undefined) return parsed(path, text);
  }
  return undefined;
}

function parsed(path: string, text: string): ConfigFile {
  const { table, faults } = parseToml(text);
  return { path, table, faults: [...faults, ...exposedKey(path, table)] };
}

/** A key that others can read is nobody's secret any more. Windows has no such bits. */
function exposedKey(path: string, { entries }: TomlTable): LineFault[] {
  const key = entries.get("key");
  if (!key || process.platform === "win32") return [];
  if ((statSync(path).mode & OTHERS) === 0) return [];
  return [{ line: key.line, message: `the key can be read by others: chmod 600 ${path}` }];
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
