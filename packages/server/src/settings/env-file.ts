import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { SettingsFault } from "./settings.ts";

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a directory",
};

/** Reads the variables in the file that a command-line option names. */
export function readEnvFile(option: string, path: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new SettingsFault([`${option}: cannot read ${path}: ${REASONS[code] ?? message}`]);
  }
}
