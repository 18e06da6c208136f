import { type Colours, coloursFor } from "@dbdepot/terminal/colours";
import { commandsWith } from "@dbdepot/terminal/command";
import type { CommandLine } from "@dbdepot/terminal/command-line";
import type { Voice } from "@dbdepot/terminal/program";
import type { Surroundings } from "@dbdepot/terminal/surroundings";
import { DbdepotClient } from "../client.ts";
import { VERSION } from "../version.ts";
import { type ReadSettings, readSettings, type SettingFlags } from "./config/read-settings.ts";
import type { Settings } from "./config/settings.ts";
import { SettingsFault } from "./explanation.ts";
import { Signals } from "./signals.ts";

/** What a command works with. */
export interface Workplace extends Voice, AsyncDisposable {
  environment: Surroundings["environment"];
  /** For what goes to standard output. */
  colours: Colours;
  outColumns: number | undefined;
  errColumns(): number | undefined;
  isJson: boolean;
  /** What people should know even when a program reads the answer. */
  warn(line: string): void;
  signals: Signals;
  /** The settings with all that is wrong with them. `flags` are the command's own options. */
  read(flags?: SettingFlags): ReadSettings;
  /** The settings in force; throws all that is wrong. */
  settings(flags?: SettingFlags): Settings;
  client(settings?: Settings): DbdepotClient;
}

/** How a command is declared. */
export const command = commandsWith<Workplace>();

export function openWorkplace(line: CommandLine, surroundings: Surroundings, voice: Voice): Workplace {
  const { environment, err, outColumns } = surroundings;
  const { config, url, key } = line.shared as Record<string, string | undefined>;
  const warn = (text: string) => err(`dbdepot: ${text}\n`);
  if (key !== undefined) {
    warn(
      "a key on the command line is seen by all users of this machine: better DBDEPOT_API_KEY or DBDEPOT_API_KEY_FILE",
    );
  }
  const signals = new Signals();
  const read = (flags: SettingFlags = {}) =>
    readSettings({ flags: { url, key, ...flags }, environment, configPath: config });
  const settings = (flags: SettingFlags = {}) => {
    const { settings, faults } = read(flags);
    if (faults.length > 0) throw new SettingsFault(faults);
    return settings;
  };
  return {
    ...voice,
    environment,
    colours: coloursFor(outColumns, environment),
    outColumns,
    errColumns: () => surroundings.errColumns,
    isJson: line.json,
    warn,
    signals,
    read,
    settings,
    client: (given = settings()) => clientFor(given, environment),
    [Symbol.asyncDispose]: async () => signals.close(),
  };
}

function clientFor({ url, key }: Settings, env: Surroundings["environment"]): DbdepotClient {
  const faults: string[] = [];
  if (url === undefined) faults.push("the service's address is missing: set DBDEPOT_URL, or url in dbdepot.toml");
  if (key === undefined) faults.push("the key is missing: set DBDEPOT_API_KEY or DBDEPOT_API_KEY_FILE");
  if (url === undefined || key === undefined) throw new SettingsFault(faults);
  return new DbdepotClient({ baseUrl: url, apiKey: key.reveal(), env, userAgent: `dbdepot/${VERSION}` });
}
