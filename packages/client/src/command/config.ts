import { writeFile } from "node:fs/promises";
import type { Command } from "@dbdepot/terminal/command";
import { EXAMPLE } from "./config/example.ts";
import type { ReadSettings } from "./config/read-settings.ts";
import { SETTINGS, type SettingName } from "./config/settings.ts";
import type { Run } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { SettingsError } from "./explanation.ts";

export function addConfigCommands(program: Command, run: Run): void {
  const config = program
    .command("config")
    .description("Show every setting and its source (never the key itself)")
    .action(
      run(async ({ read, output }) => {
        const { found, configPath, problems, warnings } = read();
        const names = Object.keys(SETTINGS) as SettingName[];
        for (const problem of [...problems, ...warnings]) output.warn(problem);
        return {
          json: {
            config_file: configPath ?? null,
            settings: Object.fromEntries(names.map((name) => [name, wire(name, found)])),
            faults: problems,
          },
          text:
            output.table(
              ["SETTING", "VALUE", "FROM"],
              names.map((name) => [
                name,
                found.get(name)?.shown ?? `(${SETTINGS[name].fallback})`,
                found.get(name)?.source,
              ]),
              "",
            ) + (configPath === undefined ? "No config file found.\n" : ""),
          exitCode: problems.length > 0 ? EXIT.usage : EXIT.ok,
        };
      }),
    );

  config
    .command("check")
    .description("Check the config file and the environment, and list every problem")
    .action(
      run(async ({ read, output }) => {
        const { problems, warnings, configPath } = read();
        for (const warning of warnings) output.warn(warning);
        if (problems.length > 0) throw new SettingsError(problems);
        return {
          json: { ok: true, config_file: configPath ?? null },
          text: `No problems found in ${configPath ?? "the environment"}.\n`,
        };
      }),
    );

  config
    .command("init")
    .description("Write a config file that explains every setting")
    .argument("[file]", "file to write", "dbdepot.toml")
    .action(
      run(async (_, path) => {
        // Mode 0600, in case the key is written into it. An existing file is never overwritten.
        await writeFile(path, EXAMPLE, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
          throw error.code === "EEXIST" ? new Error(`${path} already exists and was not changed`) : error;
        });
        return { json: { written: path }, text: `Wrote ${path}. Fill it in, then run "dbdepot doctor".\n` };
      }),
    );
}

function wire(name: SettingName, found: ReadSettings["found"]) {
  const { shown, source } = found.get(name) ?? { shown: null, source: null };
  return { value: shown, source };
}
