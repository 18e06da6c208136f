import { mkdir } from "node:fs/promises";
import { inTime } from "@dbdepot/terminal/amounts";
import { ProgressBoard } from "@dbdepot/terminal/progress-board";
import { settingOptions } from "./config/options.ts";
import { DEFAULT_JITTER_MS, type Settings } from "./config/settings.ts";
import { EXIT_MEANINGS } from "./exit-codes.ts";
import type { Round } from "./sync/context.ts";
import { report } from "./sync/report.ts";
import { runRound } from "./sync/round.ts";
import { StatusBook, statusPath } from "./sync/status.ts";
import { Turns } from "./sync/turns.ts";
import { wantedDatabases } from "./sync/wanted-databases.ts";
import { pause, watch } from "./sync/watch.ts";
import { command, type Workplace } from "./workplace.ts";

export const syncCommands = [
  command({
    words: "sync",
    summary: "Fetch what is new: all databases of the config file, or those that are named.",
    arguments: ["[ID…]"],
    options: {
      ...settingOptions("directory", "formats", "delivery", "parallel", "keep", "hook", "jitter", "status_file"),
      "no-jitter": { help: "Ask at once. On a terminal that is so anyway." },
      force: { help: "Fetch also what is there already." },
      quiet: { help: "Say only what has changed and what failed." },
      watch: { help: "Stay, and do it again and again. SIGHUP: at once. SIGTERM: end." },
      every: { value: "TIME", help: "How long --watch waits between two rounds; left out: interval, 1h." },
    },
    notes: [
      `Exit codes: ${Object.entries(EXIT_MEANINGS)
        .map(([code, meaning]) => `${code} ${meaning}`)
        .join(", ")}.`,
      "With --watch it ends with 0 when it is told to, whatever failed before. --json then prints a document for each round.",
    ],
    async run(workplace, [ids], options) {
      const { "no-jitter": isPrompt, force, quiet, watch: stays, every, ...flags } = options;
      const settings = workplace.settings({ ...flags, interval: every, status_file: flags["status-file"] });
      const databases = wantedDatabases(ids, settings);
      const round = await openRound(workplace, settings);
      const jitterMs = isPrompt ? 0 : jitterOf(workplace, settings);
      let isForced = force === true;
      const once = async () => {
        const result = await runRound({ ...round, isForced }, databases, workplace);
        isForced = false;
        const { colours, outColumns: columns } = workplace;
        return { result, output: report(result, { colours, columns, isQuiet: quiet === true }) };
      };
      if (!stays) {
        await waitFor(Math.random() * jitterMs, workplace);
        return (await once()).output;
      }
      await watch(
        async () => {
          const { result, output } = await once();
          workplace.announce(output);
          return result;
        },
        { intervalMs: settings.intervalMs, jitterMs, signals: workplace.signals },
      );
      return undefined;
    },
  }),
];

async function openRound(workplace: Workplace, settings: Settings): Promise<Omit<Round, "isForced">> {
  const client = workplace.client(settings);
  await mkdir(settings.directory, { recursive: true });
  return {
    client,
    settings,
    book: new StatusBook(statusPath(settings), settings.url ?? ""),
    turns: new Turns(settings.parallel),
    board: new ProgressBoard({ say: workplace.say, columns: workplace.errColumns }),
    signal: workplace.signals.stop,
  };
}

/** Where somebody is waiting there is no pause, unless it was asked for. */
function jitterOf({ errColumns }: Workplace, { jitterMs }: Settings): number {
  return jitterMs ?? (errColumns() === undefined ? DEFAULT_JITTER_MS : 0);
}

async function waitFor(durationMs: number, { say, signals }: Workplace): Promise<void> {
  if (durationMs > 1000) say(`waiting ${inTime(durationMs / 1000)}, so that not everybody asks at the same time\n`);
  await pause(durationMs, signals.stop);
}
