import type { Format } from "../../api/wire.gen.ts";
import { databases, type WantedDatabase } from "./databases.ts";
import type { Secret } from "./secret.ts";
import {
  choice,
  duration,
  formats,
  integer,
  mirror,
  path,
  publicKeys,
  type SettingType,
  secret,
  shellCommand,
  url,
} from "./setting-types.ts";

interface Setting<T> {
  help: string;
  /** The default, as shown in help and docs. */
  fallback: string;
  type: SettingType<T>;
}

const ON_OFF = ["on", "off"] as const;
const DELIVERIES = ["redirect", "stream"] as const;
const DELTAS = ["auto", "never"] as const;
const ON_STALE = ["fail", "warn"] as const;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Every setting, by its name in the config file. */
export const SETTINGS = {
  url: setting(url, "address of the service", "none, required"),
  key: setting(secret, "API key; in a config file only if the file has mode 0600", "key_file"),
  key_file: setting(path, "file that contains only the API key", "none"),
  keyring: setting(
    choice(ON_OFF),
    "whether login uses the system's keyring: on, or off for a file that only you can read",
    "on if there is a keyring, else off",
  ),
  directory: setting(path, "directory for the databases", "current directory"),
  databases: setting(databases, "databases to keep up to date", "none"),
  formats: setting(formats, "comma-separated formats: mmdb, csvgz", "mmdb if available, else csvgz"),
  delivery: setting(
    choice(DELIVERIES),
    "how to download: redirect (from object storage) or stream (through the service)",
    "redirect",
  ),
  deltas: setting(
    choice(DELTAS),
    "whether to update files with patches: auto (where possible) or never (always download whole files)",
    "auto",
  ),
  parallel: setting(integer(1, 16), "number of files to download at once", "2"),
  keep: setting(integer(0, 1000), "number of old copies of each file to keep", "0"),
  hook: setting(shellCommand, "shell command to run after files have changed", "none"),
  jitter: setting(duration(0), "maximum random delay before the first request", "5m; 0 on a terminal or if CI is set"),
  interval: setting(duration(SECOND_MS), "pause between rounds with --watch and --serve", "1h"),
  max_age: setting(
    duration(SECOND_MS),
    "maximum age of the last successful check, before health fails, and of the vendor's statement of freshness",
    "2d; for statements as long as the vendor says",
  ),
  on_stale: setting(
    choice(ON_STALE),
    "what to do if nothing proves that a build is the newest one: fail, or warn and use it",
    "fail",
  ),
  status_file: setting(
    path,
    "file in which sync records what it has downloaded",
    ".dbdepot-status.json in the directory",
  ),
  from: setting(mirror, "mirror to use instead of the service: a directory or a URL", "none"),
  from_token: setting(
    secret,
    "token for a mirror that asks for one; in a config file only if the file has mode 0600",
    "none",
  ),
  trust: setting(
    publicKeys,
    "vendor's public keys; builds that none of them signed are refused",
    "the first key that the service shows",
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;

/** The prefix avoids conflicts with the server's settings, which may be set on the same machine. */
export function variableOf(name: SettingName | "config"): string {
  return `DBDEPOT_CLIENT_${name.toUpperCase()}`;
}

/** The name that earlier versions used. It still works if the new one is not set. */
export function oldVariableOf(name: SettingName | "config"): string {
  return `DBDEPOT_${name.startsWith("key") ? "API_" : ""}${name.toUpperCase()}`;
}

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type SettingValues = { [K in SettingName]?: ValueOf<(typeof SETTINGS)[K]> };

export interface Settings {
  url: string | undefined;
  key: Secret | undefined;
  /** Whether `key` was stored by `dbdepot login`, and may be renewed. */
  isLogin: boolean;
  keyring: (typeof ON_OFF)[number] | undefined;
  directory: string;
  databases: readonly WantedDatabase[];
  formats: readonly Format[] | undefined;
  /** Undefined: the library's default. */
  delivery: (typeof DELIVERIES)[number] | undefined;
  deltas: (typeof DELTAS)[number];
  parallel: number;
  keep: number;
  hook: string | undefined;
  /** Undefined: see jitterOf in sync.ts. */
  jitterMs: number | undefined;
  intervalMs: number;
  maxAgeMs: number;
  /** The customer's own bound for statements of freshness. Undefined: as long as the vendor says. */
  freshnessMaxAgeMs: number | undefined;
  onStale: (typeof ON_STALE)[number];
  /** Undefined: the default file in the directory. */
  statusFile: string | undefined;
  /** A mirror to use instead of the service. */
  from: string | undefined;
  fromToken: Secret | undefined;
  /** Empty: the first key that the service shows. */
  trust: readonly string[];
}

export const DEFAULT_JITTER_MS = 5 * MINUTE_MS;

export function withDefaults(values: SettingValues): Settings {
  return {
    url: values.url,
    key: values.key,
    isLogin: false,
    keyring: values.keyring,
    directory: values.directory ?? process.cwd(),
    databases: values.databases ?? [],
    formats: values.formats,
    delivery: values.delivery,
    deltas: values.deltas ?? "auto",
    parallel: values.parallel ?? 2,
    keep: values.keep ?? 0,
    hook: values.hook,
    jitterMs: values.jitter,
    intervalMs: values.interval ?? HOUR_MS,
    maxAgeMs: values.max_age ?? 2 * DAY_MS,
    freshnessMaxAgeMs: values.max_age,
    onStale: values.on_stale ?? "fail",
    statusFile: values.status_file,
    from: values.from,
    fromToken: values.from_token,
    trust: values.trust ?? [],
  };
}

function setting<T>(type: SettingType<T>, help: string, fallback: string): Setting<T> {
  return { type, help, fallback };
}
