import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Checks for a program in PATH, or for a file by its absolute path. */
export function isInstalled(tool: string): boolean {
  return (isAbsolute(tool) && existsSync(tool)) || pathOf(tool) !== undefined;
}

/** Returns the path of a program in PATH. */
export function pathOf(tool: string, { PATH = "" }: NodeJS.ProcessEnv = process.env): string | undefined {
  const directories = PATH.split(delimiter);
  return directories.map((directory) => join(directory, tool)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
