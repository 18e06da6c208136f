import { writeFile } from "node:fs/promises";
import { table } from "@dbdepot/terminal/table";
import { EXAMPLE } from "./config/example.ts";
import type { ReadSettings } from "./config/read-settings.ts";
import { SETTINGS, type SettingName } from "./config/settings.ts";
import { EXIT } from "./exit-codes.ts";
import { SettingsFault } from "./explanation.ts";
import { command } from "./workplace.ts";

export const configCommands = [
  command({
    words: "config",
    summary: "Show what is set, and where it comes from. Never the key.",
    arguments: [],
    options: {},
    async run({ read, outColumns, warn }) {
      const { found, configPath, faults } = read();
      const names = Object.keys(SETTINGS) as SettingName[];
      for (const fault of faults) warn(fault);
      return {
        json: {
          config_file: configPath ?? null,
          settings: Object.fromEntries(names.map((name) => [name, wire(name, found)])),
          faults,
        },
        text:
          table(
            ["SETTING", "VALUE", "FROM"],
            names.map((name) => [
              name,
              found.get(name)?.shown ?? `(${SETTINGS[name].leftOut})`,
              found.get(name)?.source,
            ]),
            "",
            { columns: outColumns },
          ) + (configPath === undefined ? "There is no config file.\n" : ""),
        exitCode: faults.length > 0 ? EXIT.usage : EXIT.fine,
      };
    },
  }),
  command({
    words: "config check",
    summary: "Read the config file and the environment, and list all that is wrong.",
    arguments: [],
    options: {},
    async run({ read }) {
      const { faults, configPath } = read();
      if (faults.length > 0) throw new SettingsFault(faults);
      const what = configPath ?? "the environment";
      return { json: { ok: true, config_file: configPath ?? null }, text: `Nothing is wrong with ${what}.\n` };
    },
  }),
  command({
    words: "config init",
    summary: "Write a config file with every setting explained, to begin with.",
    arguments: ["[FILE]"],
    options: {},
    async run(_, [path = "dbdepot.toml"]) {
      // For its owner alone, in case somebody writes the key into it; and never over one that is there.
      await writeFile(path, EXAMPLE, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
        throw error.code === "EEXIST" ? new Error(`${path} is there already: it is left as it is`) : error;
      });
      return { json: { written: path }, text: `${path} is written: fill it in, then run "dbdepot doctor".\n` };
    },
  }),
];

function wire(name: SettingName, found: ReadSettings["found"]) {
  const { shown, source } = found.get(name) ?? { shown: null, source: null };
  return { value: shown, source };
}
