import { existsSync } from "node:fs";
import { formatSeconds } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import type { ProcessContext } from "@dbdepot/terminal/process-context";
import type * as program from "@dbdepot/terminal/program";
import type { RetryEvent } from "../api/retry.ts";
import { type ClientOptions, DbdepotClient, type TrustEvent } from "../client.ts";
import type { DbdepotError } from "../errors.ts";
import { refreshLogin } from "../login/login.ts";
import { VERSION } from "../version.ts";
import { type ReadSettings, readSettings, type SettingFlags, type Sources } from "./config/read-settings.ts";
import type { Settings } from "./config/settings.ts";
import { describe, SettingsError } from "./explanation.ts";
import { systemKeyring } from "./login/keyring.ts";
import { loginKey } from "./login/login-key.ts";
import { StoredLogins } from "./login/stored-logins.ts";
import { Signals } from "./signals.ts";

/** Everything a command needs to run. */
export interface CommandContext extends AsyncDisposable {
  env: ProcessContext["env"];
  output: Output;
  signals: Signals;
  /** Reads the settings and collects all problems. `flags` are the command's own options. */
  read(flags?: SettingFlags, options?: ReadOptions): ReadSettings;
  /** Returns the settings. Throws if any of them is invalid. */
  settings(flags?: SettingFlags, options?: ReadOptions): Settings;
  client(settings?: Settings, options?: ClientCallOptions): DbdepotClient;
  /** The keys that `dbdepot login` has stored. */
  logins: StoredLogins;
  pollDelayMs: number | undefined;
}

type ReadOptions = Pick<Sources, "needsKey">;
type ClientCallOptions = Pick<ClientOptions, "retries" | "trustFile" | "isTrustFileReadOnly">;

export type Run = program.Run<CommandContext>;

/** Tests retry and poll without the usual delay. */
export interface ClientProcess extends ProcessContext {
  retryDelayMs?: number | undefined;
  pollDelayMs?: number | undefined;
}

/** `options` are the global options. */
export function openContext(
  { config, url, key }: { config?: string; url?: string; key?: string },
  { env, retryDelayMs, pollDelayMs }: ClientProcess,
  output: Output,
): CommandContext {
  if (key !== undefined) {
    output.warn(
      "a key on the command line is visible to all users of this machine: use DBDEPOT_CLIENT_KEY or DBDEPOT_CLIENT_KEY_FILE instead",
    );
  }
  const signals = new Signals();
  const openLogins = (keyring: "on" | "off" = "on") =>
    new StoredLogins(env, keyring === "on" ? systemKeyring() : undefined);
  const read = (flags: SettingFlags = {}, options: ReadOptions = {}) =>
    readSettings({
      flags: { url, key, ...flags },
      environment: env,
      configPath: config,
      logins: openLogins,
      ...options,
    });
  const settings = (flags: SettingFlags = {}, options: ReadOptions = {}) => {
    const { settings, problems, warnings } = read(flags, options);
    for (const warning of warnings) output.warn(warning);
    if (problems.length > 0) throw new SettingsError(problems);
    return settings;
  };
  return {
    env,
    output,
    signals,
    read,
    settings,
    pollDelayMs,
    get logins() {
      return openLogins(read({}, { needsKey: false }).settings.keyring);
    },
    client: (used = settings(), options = {}) =>
      clientFor(used, () => openLogins(used.keyring), {
        env,
        retryDelayMs,
        maxAgeMs: used.freshnessMaxAgeMs,
        ...(used.onStale === "warn" && { onStale: (error: DbdepotError) => output.warn(describe(error)) }),
        onRetry: reportRetries(output),
        onTrust: reportTrust(output),
        ...options,
      }),
    [Symbol.asyncDispose]: async () => signals.close(),
  };
}

/** Prints a message on the first retry, not on every one. */
function reportRetries(output: Output) {
  return ({ error, attempt, delayMs }: RetryEvent): void => {
    if (attempt === 1) output.info(`${describe(error)}; retrying in ${formatSeconds(Math.ceil(delayMs / 1000))}\n`);
  };
}

/** Prints the key, so that people can compare it with the one on the vendor's website. */
function reportTrust(output: Output) {
  return ({ publicKey, reason }: TrustEvent): void =>
    output.info(
      reason === "first use"
        ? `trusting the service's signing key on first use: compare it with the one that your vendor publishes: ${publicKey}\n`
        : `trusting the vendor's new signing key, which the old one endorses: ${publicKey}\n`,
    );
}

function clientFor(
  { url, key, isLogin, from, fromToken, trust }: Settings,
  logins: () => StoredLogins,
  options: Partial<ClientOptions>,
): DbdepotClient {
  const userAgent = `dbdepot/${VERSION}`;
  if (from !== undefined && !/^https?:/.test(from) && !existsSync(from)) {
    throw new SettingsError([
      `the mirror ${from} does not exist: check --from, DBDEPOT_CLIENT_FROM or from in dbdepot.toml`,
    ]);
  }
  if (from !== undefined)
    return new DbdepotClient({ from, fromToken: fromToken?.reveal(), userAgent, trust, ...options });
  const problems: string[] = [];
  if (url === undefined) {
    problems.push(
      'the service\'s URL is missing: run "dbdepot login --server URL", or set DBDEPOT_CLIENT_URL, or url in dbdepot.toml',
    );
  }
  if (key === undefined) {
    problems.push('the key is missing: run "dbdepot login", or set DBDEPOT_CLIENT_KEY or DBDEPOT_CLIENT_KEY_FILE');
  }
  if (url === undefined || key === undefined) throw new SettingsError(problems);
  const apiKey = isLogin
    ? loginKey(logins(), url, (login) => refreshLogin(login, { env: options.env, userAgent }))
    : key.reveal();
  return new DbdepotClient({ baseUrl: url, apiKey, userAgent, trust, ...options });
}
