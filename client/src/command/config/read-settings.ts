import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { oneLine } from "@dbdepot/terminal/one-line";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import type { Kind } from "./kinds.ts";
import { secret } from "./kinds.ts";
import { inLine, type LineFault, type LineFaults } from "./line-faults.ts";
import { SETTINGS, type SettingName, type Settings, type SettingValues, withDefaults } from "./settings.ts";

/** Texts of options, by setting. */
export type SettingFlags = Partial<Record<SettingName, string | undefined>>;

export interface Sources {
  flags: SettingFlags;
  environment: Record<string, string | undefined>;
  /** Named by `--config`. */
  configPath: string | undefined;
}

/** The nearest wins. */
const ORIGINS = ["option", "environment", "config file"] as const;
type Origin = (typeof ORIGINS)[number];

interface Found {
  shown: string;
  /** The option, the variable, or the file with its line. */
  source: string;
  origin: Origin;
}

export interface ReadSettings {
  settings: Settings;
  /** The config file that was read, if there is one. */
  configPath: string | undefined;
  /** Where each value comes from, and how it looks; never a secret. */
  found: Map<SettingName, Found>;
  /** All that is wrong, with where it stands. */
  faults: string[];
}

const NAMES = Object.keys(SETTINGS) as SettingName[];

export function readSettings({ flags, environment, configPath }: Sources): ReadSettings {
  const reading = new Reading();
  const file = reading.configFile(configPath ?? (environment.DBDEPOT_CONFIG || undefined), environment);
  for (const name of NAMES) {
    const { variable } = SETTINGS[name];
    const flag = flags[name];
    // A variable that is empty is not set: that is how container files leave one out.
    const text = environment[variable] || undefined;
    if (flag !== undefined) reading.text(name, flag, `--${name.replace("_", "-")}`, "option");
    else if (text !== undefined) reading.text(name, text, variable, "environment");
    else if (file) reading.toml(name, file);
  }
  reading.keyFile();
  return {
    settings: withDefaults(reading.values),
    configPath: file?.path,
    found: reading.found,
    faults: reading.faults(file?.path),
  };
}

class Reading {
  readonly values: SettingValues = {};
  readonly found: ReadSettings["found"] = new Map();
  readonly #faults: string[] = [];
  readonly #fileFaults: LineFault[] = [];

  /** Those of the file in the order of its lines. */
  faults(path: string | undefined): string[] {
    const sorted = this.#fileFaults.toSorted((a, b) => a.line - b.line);
    return [...sorted.map(({ line, message }) => `${path}:${line}: ${message}`), ...this.#faults];
  }

  configFile(named: string | undefined, environment: Sources["environment"]): ConfigFile | undefined {
    try {
      const file = readConfigFile(named, environment);
      this.#fileFaults.push(...(file?.faults ?? []));
      for (const [name, { line }] of file?.table.entries ?? []) {
        const isKnown = NAMES.includes(name as SettingName);
        if (!isKnown) this.#fileFaults.push({ line, message: `there is no setting "${name}"` });
      }
      return file;
    } catch (error) {
      this.#faults.push(`the config file cannot be read: ${oneLine((error as Error).message)}`);
      return undefined;
    }
  }

  text(name: SettingName, text: string, source: string, origin: Origin): void {
    try {
      this.#set(name, kindOf(name).fromText(text, process.cwd()), source, origin);
    } catch (error) {
      this.#faults.push(`${source}: ${(error as Error).message}`);
    }
  }

  toml(name: SettingName, { path, table }: ConfigFile): void {
    const value = table.entries.get(name);
    if (!value) return;
    try {
      const read = inLine(value.line, () => kindOf(name).fromToml(value, dirname(path)));
      this.#set(name, read, `${path}:${value.line}`, "config file");
    } catch (error) {
      for (const { line, message } of (error as LineFaults).faults) {
        this.#fileFaults.push({ line, message: `${name}: ${message}` });
      }
    }
  }

  /** A key that is given itself wins over one in a file, unless the file is named nearer by. */
  keyFile(): void {
    const { key_file: path } = this.values;
    const [key, file] = [this.found.get("key"), this.found.get("key_file")];
    if (path === undefined || !file) return;
    if (key && ORIGINS.indexOf(key.origin) <= ORIGINS.indexOf(file.origin)) return;
    try {
      this.#set("key", secret.fromText(readFileSync(path, "utf8"), ""), path, file.origin);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#faults.push(`${file.source}: ${path}: ${code === undefined ? message : `cannot be read (${code})`}`);
    }
  }

  #set(name: SettingName, value: unknown, source: string, origin: Origin): void {
    Object.assign(this.values, { [name]: value });
    this.found.set(name, { shown: kindOf(name).show(value), source, origin });
  }
}

function kindOf(name: SettingName): Kind<unknown> {
  return SETTINGS[name].kind as Kind<unknown>;
}
