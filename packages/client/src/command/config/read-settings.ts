import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { oneLine } from "@dbdepot/terminal/control-characters";
import type { StoredLogins } from "../login/stored-logins.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { flagOf } from "./options.ts";
import { type SettingType, secret } from "./setting-types.ts";
import {
  oldVariableOf,
  SETTINGS,
  type SettingName,
  type Settings,
  type SettingValues,
  variableOf,
  withDefaults,
} from "./settings.ts";

/** Option values by setting. */
export type SettingFlags = Partial<Record<SettingName, string | undefined>>;

export interface Sources {
  flags: SettingFlags;
  environment: Record<string, string | undefined>;
  /** The value of `--config`. */
  configPath: string | undefined;
  /** False for commands that make no requests: they do not read the key file. */
  needsKey?: boolean;
  /** Opens what `dbdepot login` has stored, which is used if no key is given. */
  logins?(keyring: "on" | "off" | undefined): StoredLogins;
}

/** The sources of settings; the first one that has a value wins. */
const ORIGINS = ["option", "environment", "old variable", "config file", "login"] as const;
type Origin = (typeof ORIGINS)[number];

interface FoundSetting {
  shown: string;
  /** The option, the variable, or the file and line. */
  source: string;
  origin: Origin;
}

export interface ReadSettings {
  settings: Settings;
  configPath: string | undefined;
  /** The source of each value and how it is shown. Never contains a secret. */
  found: Map<SettingName, FoundSetting>;
  /** All problems, with their sources. */
  problems: string[];
  /** Problems that do not prevent a command from running. */
  warnings: string[];
}

const NAMES = Object.keys(SETTINGS) as SettingName[];

export function readSettings({ flags, environment, configPath, needsKey = true, logins }: Sources): ReadSettings {
  const reader = new Reader();
  // Container definitions often set unused variables to the empty string.
  const isSet = (variable: string) => Boolean(environment[variable]);
  const configVariable = [variableOf("config"), oldVariableOf("config")].find(isSet);
  const file = reader.openConfigFile(configPath ?? (configVariable && environment[configVariable]), environment);
  for (const name of NAMES) {
    const [variable, oldVariable] = [variableOf(name), oldVariableOf(name)];
    const flag = flags[name];
    if (flag !== undefined) reader.readText(name, flag, flagOf(name), "option");
    else if (isSet(variable)) reader.readText(name, environment[variable] ?? "", variable, "environment");
    else if (isSet(oldVariable)) reader.readText(name, environment[oldVariable] ?? "", oldVariable, "old variable");
    else if (file) reader.readToml(name, file);
  }
  if (needsKey) reader.readKeyFile();
  const { values, found, problems, warnings } = reader;
  const isLogin = needsKey && logins !== undefined && reader.readLogin(logins(values.keyring));
  const settings = { ...withDefaults(values), isLogin };
  return { settings, configPath: file?.path, found, problems, warnings };
}

class Reader {
  readonly values: SettingValues = {};
  readonly found: ReadSettings["found"] = new Map();
  readonly problems: string[] = [];
  readonly warnings: string[] = [];

  openConfigFile(path: string | undefined, environment: Sources["environment"]): ConfigFile | undefined {
    try {
      const file = readConfigFile(path, environment);
      if (!file) return undefined;
      this.problems.push(...file.problems);
      for (const name of Object.keys(file.values)) {
        if (!(name in SETTINGS)) this.problems.push(`${file.locate(name)}: unknown setting "${name}"`);
      }
      return file;
    } catch (error) {
      this.problems.push(`cannot read the config file: ${oneLine((error as Error).message)}`);
      return undefined;
    }
  }

  readText(name: SettingName, text: string, source: string, origin: Origin): void {
    try {
      this.#set(name, typeOf(name).fromText(text, process.cwd()), source, origin);
    } catch (error) {
      this.problems.push(`${source}: ${(error as Error).message}`);
    }
  }

  readToml(name: SettingName, { path, values, locate }: ConfigFile): void {
    const value = values[name];
    if (value === undefined) return;
    try {
      this.#set(name, typeOf(name).fromToml(value, dirname(path)), locate(name), "config file");
    } catch (error) {
      this.problems.push(`${locate(name)}: ${name}: ${(error as Error).message}`);
    }
  }

  /** `key` wins over `key_file`, unless `key_file` has the source with higher precedence. */
  readKeyFile(): void {
    const { key_file: path } = this.values;
    const [key, file] = [this.found.get("key"), this.found.get("key_file")];
    if (path === undefined || !file) return;
    if (key && ORIGINS.indexOf(key.origin) <= ORIGINS.indexOf(file.origin)) return;
    try {
      this.#set("key", secret.fromText(readFileSync(path, "utf8"), ""), path, file.origin);
      if (isReadableByOthers(path)) {
        this.warnings.push(`${path}: other users can read the key: run "chmod o-rwx ${path}"`);
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.problems.push(`${file.source}: ${path}: ${code === undefined ? message : `cannot be read (${code})`}`);
    }
  }

  /**
   * Uses the key of `dbdepot login`, but only for the service that issued it. Without an address, that is the service of
   * the last login.
   */
  readLogin(logins: StoredLogins): boolean {
    const isGiven = this.found.has("key") || this.found.has("key_file") || this.values.from !== undefined;
    const url = this.values.url ?? logins.defaultUrl;
    if (isGiven || url === undefined) return false;
    const login = logins.find(url);
    if (!login) return false;
    const source = login.place === "keyring" ? "dbdepot login (the system's keyring)" : logins.path;
    if (this.values.url === undefined) this.#set("url", url, "dbdepot login", "login");
    this.#set("key", secret.fromText(login.key, ""), source, "login");
    if (login.place === "file" && logins.isExposed) {
      this.warnings.push(`${logins.path}: other users can read the key: run "chmod 600 ${logins.path}"`);
    }
    return true;
  }

  #set(name: SettingName, value: unknown, source: string, origin: Origin): void {
    Object.assign(this.values, { [name]: value });
    this.found.set(name, { shown: typeOf(name).show(value), source, origin });
  }
}

/** Group access is allowed, because a group may share a key. Windows has no such permissions. */
function isReadableByOthers(path: string): boolean {
  return process.platform !== "win32" && (statSync(path).mode & 0o007) !== 0;
}

function typeOf(name: SettingName): SettingType<unknown> {
  return SETTINGS[name].type as SettingType<unknown>;
}
