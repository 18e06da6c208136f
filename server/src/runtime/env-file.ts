import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { SettingsFault } from "../settings.ts";

/** The variables in the file that a command-line option names. */
export function readEnvFile(option: string, path: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    throw new SettingsFault([`${option}: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`]);
  }
}
