import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Checks for a program in PATH, or for a file by its absolute path. */
export function isInstalled(tool: string): boolean {
  if (isAbsolute(tool)) return statSync(tool, { throwIfNoEntry: false }) !== undefined;
  return (process.env.PATH ?? "").split(delimiter).some((directory) => isExecutable(join(directory, tool)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
