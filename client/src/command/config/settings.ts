import type { Format } from "../../wire.ts";
import { address, choice, duration, formats, integer, type Kind, path, secret, shellCommand } from "./kinds.ts";
import type { Secret } from "./secret.ts";
import { databases, type Wanted } from "./wanted.ts";

/** One thing that can be set. */
interface Setting<T> {
  /** The name of its environment variable. */
  variable: string;
  help: string;
  /** What it means to leave it out. */
  leftOut: string;
  kind: Kind<T>;
}

const DELIVERIES = ["redirect", "stream"] as const;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Every setting, by its name in the config file. As an option it has dashes. */
export const SETTINGS = {
  url: setting("DBDEPOT_URL", address, "The service's address.", "must be given"),
  key: setting("DBDEPOT_API_KEY", secret, "The key. In a config file that only its owner can read (0600).", "key_file"),
  key_file: setting("DBDEPOT_API_KEY_FILE", path, "A file that holds the key and nothing else.", "no file"),
  directory: setting("DBDEPOT_DIRECTORY", path, "The folder that the databases are kept in.", "where you are"),
  databases: setting("DBDEPOT_DATABASES", databases, "The databases to keep up to date.", "none"),
  formats: setting("DBDEPOT_FORMATS", formats, "Which formats: mmdb, csvgz.", "mmdb where there is one, else csvgz"),
  delivery: setting(
    "DBDEPOT_DELIVERY",
    choice(DELIVERIES),
    "redirect: from the storage; stream: from the service.",
    "redirect",
  ),
  parallel: setting("DBDEPOT_PARALLEL", integer(1, 16), "How many files are fetched at the same time.", "2"),
  keep: setting("DBDEPOT_KEEP", integer(0, 1000), "How many old copies of each file are kept.", "0"),
  hook: setting("DBDEPOT_HOOK", shellCommand, "A shell command to run after files have changed.", "none"),
  jitter: setting("DBDEPOT_JITTER", duration(0), "Wait up to so long before asking.", "5m, on a terminal 0"),
  interval: setting("DBDEPOT_INTERVAL", duration(SECOND_MS), "How long --watch waits between two rounds.", "1h"),
  max_age: setting("DBDEPOT_MAX_AGE", duration(SECOND_MS), "How long ago the last good check may be for health.", "2d"),
  status_file: setting(
    "DBDEPOT_STATUS_FILE",
    path,
    "Where sync writes down what it has, for health and for its next run.",
    ".dbdepot-status.json in the directory",
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type SettingValues = { [K in SettingName]?: ValueOf<(typeof SETTINGS)[K]> };

/** What is in force. */
export interface Settings {
  url: string | undefined;
  key: Secret | undefined;
  directory: string;
  databases: readonly Wanted[];
  formats: readonly Format[] | undefined;
  /** Undefined: as the library has it, from the storage. */
  delivery: (typeof DELIVERIES)[number] | undefined;
  parallel: number;
  keep: number;
  hook: string | undefined;
  /** Undefined: it depends on whether somebody is waiting. */
  jitterMs: number | undefined;
  intervalMs: number;
  maxAgeMs: number;
  /** Undefined: in the directory. */
  statusFile: string | undefined;
}

export const DEFAULT_JITTER_MS = 5 * MINUTE_MS;

export function withDefaults(values: SettingValues): Settings {
  return {
    url: values.url,
    key: values.key,
    directory: values.directory ?? process.cwd(),
    databases: values.databases ?? [],
    formats: values.formats,
    delivery: values.delivery,
    parallel: values.parallel ?? 2,
    keep: values.keep ?? 0,
    hook: values.hook,
    jitterMs: values.jitter,
    intervalMs: values.interval ?? HOUR_MS,
    maxAgeMs: values.max_age ?? 2 * DAY_MS,
    statusFile: values.status_file,
  };
}

function setting<T>(variable: string, kind: Kind<T>, help: string, leftOut: string): Setting<T> {
  return { variable, kind, help, leftOut };
}
