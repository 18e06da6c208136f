import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { EXIT_FAILED, type Program, runProgram } from "@dbdepot/terminal/program";
import { PROCESS, type Surroundings } from "@dbdepot/terminal/surroundings";
import { BuildRefused } from "./builds/refusal.ts";
import { COMMANDS } from "./commands/all.ts";
import type { Workplace } from "./commands/command.ts";
import { parseSettings, SettingsFault } from "./settings.ts";
import { openWorkplace } from "./workplace.ts";

const DBDEPOT_SERVER: Program<Workplace> = {
  name: "dbdepot-server",
  commands: COMMANDS,
  options: { "env-file": { value: "FILE", help: "Read settings from this file too; the environment wins." } },
  note: 'Every command has "--help" and "--json". ORG is an id or an exact name. Dates are RFC 3339, like 2027-01-31T12:00:00Z.',
  open({ shared }, { environment }, voice) {
    const settings = parseSettings(withEnvFile(shared["env-file"] as string | undefined, environment));
    return openWorkplace(settings, voice);
  },
  explain: (error) => ({ lines: messagesOf(error), exitCode: EXIT_FAILED }),
};

/** Runs one command line and gives its exit code. */
export function main(argv: readonly string[], surroundings: Surroundings = PROCESS): Promise<number> {
  return runProgram(DBDEPOT_SERVER, argv, surroundings);
}

// Started from source: node server/src/main.ts
if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

function withEnvFile(path: string | undefined, environment: Surroundings["environment"]) {
  if (path === undefined) return environment;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new SettingsFault([`--env-file: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`]);
  }
  return { ...parseEnv(text), ...environment };
}

function messagesOf(error: unknown): string[] {
  if (error instanceof SettingsFault || error instanceof BuildRefused) return [...error.faults];
  const { message, code } = error as NodeJS.ErrnoException;
  return [message || code || String(error)];
}
