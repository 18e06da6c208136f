import type { Command, Options } from "@dbdepot/terminal/command";
import { type Program, runProgram } from "@dbdepot/terminal/program";
import type { Surroundings } from "@dbdepot/terminal/surroundings";
import { VERSION } from "../version.ts";
import { completionCommands } from "./completion.ts";
import { configCommands } from "./config.ts";
import { doctorCommands } from "./doctor.ts";
import { downloadCommands } from "./download.ts";
import { explain } from "./explanation.ts";
import { healthCommands } from "./health.ts";
import { historyCommands } from "./history.ts";
import { infoCommands } from "./info.ts";
import { keyCommands } from "./keys.ts";
import { listCommands } from "./list.ts";
import { syncCommands } from "./sync.ts";
import { verifyCommands } from "./verify.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

const SHARED: Options = {
  config: {
    value: "FILE",
    help: "The config file; left out: dbdepot.toml here, in ~/.config/dbdepot or /etc/dbdepot.",
  },
  url: { value: "URL", help: "The service's address; left out: DBDEPOT_URL." },
  key: { value: "KEY", help: "The key; better as DBDEPOT_API_KEY or DBDEPOT_API_KEY_FILE, where nobody sees it." },
};

/** In the order in which the help lists them. */
const WORKING: readonly Command<Workplace>[] = [
  ...listCommands,
  ...infoCommands,
  ...downloadCommands,
  ...syncCommands,
  ...verifyCommands,
  ...healthCommands,
  ...historyCommands,
  ...keyCommands,
  ...doctorCommands,
  ...configCommands,
];

export const DBDEPOT: Program<Workplace> = {
  name: "dbdepot",
  version: VERSION,
  commands: [...WORKING, ...completionCommands(WORKING, SHARED)],
  options: SHARED,
  note: 'Every command has "--help" and "--json". Begin with "dbdepot config init" and "dbdepot doctor".',
  open: openWorkplace,
  explain,
};

/** Runs one command line and gives its exit code. */
export function dbdepot(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  return runProgram(DBDEPOT, argv, surroundings);
}
