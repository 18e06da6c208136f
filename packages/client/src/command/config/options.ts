import { Option } from "@dbdepot/terminal/command";
import { SETTINGS, type SettingName } from "./settings.ts";

const FLAGS = {
  directory: "--directory <dir>",
  formats: "--formats <list>",
  delivery: "--delivery <how>",
  deltas: "--deltas <when>",
  parallel: "--parallel <n>",
  keep: "--keep <n>",
  hook: "--hook <command>",
  jitter: "--jitter <duration>",
  interval: "--every <duration>",
  max_age: "--max-age <duration>",
  on_stale: "--on-stale <what>",
  status_file: "--status-file <file>",
  trust: "--trust <key>",
  from: "--from <mirror>",
} as const;

/** The option for a setting, as it is written on the command line. */
export function flagOf(name: SettingName): string {
  const flags: Partial<Record<SettingName, string>> = FLAGS;
  return flags[name]?.split(" ")[0] ?? `--${name}`;
}

/** Declares a setting as an option of a command. Options take precedence over the environment and the config file. */
export function settingOption<const N extends keyof typeof FLAGS>(name: N): Option<(typeof FLAGS)[N]> {
  const { help, fallback } = SETTINGS[name];
  return new Option(FLAGS[name], `${help} (default: ${fallback})`);
}
