import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { SettingsFault } from "./settings.ts";

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a directory",
};

/** A quoted value may have several lines. */
const VARIABLE =
  /^[^\S\n]*(?:export[^\S\n]+)?(?<name>[\w.-]+)[^\S\n]*=(?:[^\S\n]*(?<quoted>(?<quote>["'`]).*?\k<quote>)(?<rest>[^\n]*)|(?<plain>[^\n]*))$/gms;

interface EnvFile {
  variables: Record<string, string>;
  /** About values that were probably meant to be longer. */
  warnings: string[];
}

/** Reads the variables in the file that a command-line option names. */
export function readEnvFile(option: string, path: string): EnvFile {
  try {
    return parseEnvFile(readFileSync(path, "utf8"), path);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new SettingsFault([`${option}: cannot read ${path}: ${REASONS[code] ?? message}`]);
  }
}

/** As in a shell, `#` begins a comment only after a space, so that colours and passwords may contain it. Node.js cuts them off. */
export function parseEnvFile(text: string, path: string): EnvFile {
  const variables: EnvFile["variables"] = {};
  const warnings: string[] = [];
  for (const { index, groups = {} } of text.matchAll(VARIABLE)) {
    const { name = "", quoted, rest = "", plain = "" } = groups;
    const [value = "", comment = ""] = plain.split(/\s#(.*)/s);
    variables[name] = quoted === undefined ? value.trim() : (parseEnv(`${name}=${quoted}`)[name] ?? "");
    // The text itself may be part of a password.
    if (isCutOff(comment, rest)) {
      const line = text.slice(0, index).split("\n").length;
      warnings.push(
        `${path}: line ${line}: the end of ${name} is ignored. If it belongs to the value, quote all of it`,
      );
    }
  }
  return { variables, warnings };
}

/** Comments usually begin with a space. */
function isCutOff(comment: string, afterQuote: string): boolean {
  return /^[^\s#]/.test(comment) || /^[^#]/.test(afterQuote.trim());
}
