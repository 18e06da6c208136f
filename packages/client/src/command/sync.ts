import { mkdir } from "node:fs/promises";
import { type Command, examples, note, Option, type Result, UsageError } from "@dbdepot/terminal/command";
import { formatSeconds } from "@dbdepot/terminal/format";
import pLimit from "p-limit";
import type { ServiceEvent } from "../api/events.ts";
import { changedKey } from "./config/changed-key.ts";
import { settingOption } from "./config/options.ts";
import type { SettingFlags } from "./config/read-settings.ts";
import { DEFAULT_JITTER_MS, type Settings } from "./config/settings.ts";
import type { CommandContext, Run } from "./context.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";
import type { Round } from "./sync/context.ts";
import { followEvents } from "./sync/follow.ts";
import { report } from "./sync/report.ts";
import { runRound } from "./sync/round.ts";
import { licensedDatabases, selectDatabases } from "./sync/select-databases.ts";
import { readStatus, StatusFile, statusPath, trustPath } from "./sync/status.ts";
import { pause, watch } from "./sync/watch.ts";

interface SyncOptions
  extends Pick<
    SettingFlags,
    "directory" | "formats" | "delivery" | "deltas" | "parallel" | "keep" | "hook" | "trust" | "from"
  > {
  /** False with --no-jitter. */
  jitter?: string | boolean | undefined;
  statusFile?: string | undefined;
  maxAge?: string | undefined;
  onStale?: string | undefined;
  force?: boolean | undefined;
  all?: boolean | undefined;
  dryRun?: boolean | undefined;
  quiet?: boolean | undefined;
  verbose?: boolean | undefined;
  watch?: boolean | undefined;
  every?: string | undefined;
}

export function addSyncCommand(program: Command, run: Run): void {
  program
    .command("sync")
    .description("Download new builds of the given databases, or of all configured ones")
    .argument("[id...]", "databases, like vpn_ip_v1")
    .addOption(settingOption("directory"))
    .addOption(settingOption("formats"))
    .addOption(settingOption("delivery"))
    .addOption(settingOption("deltas"))
    .addOption(settingOption("parallel"))
    .addOption(settingOption("keep"))
    .addOption(settingOption("hook"))
    .addOption(settingOption("jitter"))
    .option("--no-jitter", "no delay before the first request")
    .addOption(settingOption("status_file"))
    .addOption(settingOption("from"))
    .addOption(settingOption("trust"))
    .addOption(settingOption("max_age"))
    .addOption(settingOption("on_stale"))
    .option("--force", "download even if the file is already current")
    .option("--all", "sync every database you are licensed for, including licences granted later")
    .addOption(new Option("--dry-run", "show what would be downloaded without changing anything").conflicts("watch"))
    .option("--quiet", "print only changes and failures")
    .addOption(new Option("--verbose", "print details to standard error").conflicts("quiet"))
    .option(
      "--watch",
      "keep running: sync when there is a new build, and periodically; SIGHUP syncs immediately, SIGTERM stops",
    )
    .addOption(settingOption("interval"))
    .addHelpText(
      "after",
      note(
        `Exit codes: ${Object.entries(EXIT_MEANINGS)
          .map(([code, meaning]) => `${code} ${meaning}`)
          .join("; ")}. With --watch it exits with 0 when stopped, and --json prints one document per round.`,
      ),
    )
    .addHelpText(
      "after",
      examples(
        "dbdepot sync vpn_ip_v1 --directory /var/lib/dbdepot",
        "dbdepot sync --all --dry-run",
        'dbdepot sync --watch --every 6h --hook "systemctl reload nginx"',
      ),
    )
    .action(run(sync));
}

async function sync(context: CommandContext, ids: string[], options: SyncOptions): Promise<Result | undefined> {
  const { output, signals } = context;
  const {
    jitter,
    statusFile,
    maxAge,
    onStale,
    force = false,
    quiet = false,
    watch: isWatching = false,
    every,
    ...others
  } = options;
  const { all = false, dryRun = false, verbose = false, ...flags } = others;
  if (all && ids.length > 0) throw new UsageError("use either --all or database ids, not both");
  const settingFlags: SettingFlags = {
    ...flags,
    jitter: typeof jitter === "string" ? jitter : undefined,
    interval: every,
    status_file: statusFile,
    max_age: maxAge,
    on_stale: onStale,
  };
  const settings = context.settings(settingFlags);
  const databases = all ? [] : selectDatabases(ids, settings, "pass an id, use --all");
  const round = await openRound(context, settings, { isDryRun: dryRun, isVerbose: verbose });
  const select = async () =>
    all ? licensedDatabases(await round.client.list({ signal: round.signal }), settings) : databases;
  const jitterMs = jitter === false ? 0 : await jitterOf(context, settings);
  let isForced = force;
  const runOnce = async () => {
    const result = await runRound({ ...round, isForced }, select, context);
    isForced = false;
    return { result, printed: report(result, output, quiet) };
  };
  if (!isWatching) {
    await waitFor(Math.random() * jitterMs, context, quiet);
    return (await runOnce()).printed;
  }
  // The key may have been rotated since the last round, or may be rotated during this one.
  const renewKey = () => {
    const key = changedKey(context, settingFlags, settings.key);
    if (key) {
      const trustFile = trustPath(settings);
      Object.assign(round, { client: context.client(Object.assign(settings, { key }), { trustFile }) });
    }
    return key !== undefined;
  };
  await watch(
    async () => {
      renewKey();
      let { result, printed } = await runOnce();
      if (result.exitCode === EXIT.keyRefused && renewKey()) ({ result, printed } = await runOnce());
      output.print(printed);
      return result;
    },
    {
      intervalMs: settings.intervalMs,
      jitterMs,
      signals,
      follow: (wake) =>
        followEvents(wake, {
          client: () => round.client,
          isRelevant: (event) => mayChange(event, all ? undefined : databases),
          signal: signals.stop,
          log: round.log,
        }),
    },
  );
  return undefined;
}

/** Whether a round after this event could find something new. */
function mayChange({ type, data }: ServiceEvent, databases: readonly { id: string }[] | undefined): boolean {
  if (type.startsWith("build.")) return !databases || databases.some(({ id }) => id === data.id);
  return type === "reset" || type.startsWith("licence.");
}

async function openRound(
  { output, client, signals }: CommandContext,
  settings: Settings,
  { isDryRun, isVerbose }: { isDryRun: boolean; isVerbose: boolean },
): Promise<Omit<Round, "isForced">> {
  const opened = client(settings, { trustFile: trustPath(settings), isTrustFileReadOnly: isDryRun });
  if (!isDryRun) await mkdir(settings.directory, { recursive: true });
  return {
    client: opened,
    settings,
    statusFile: new StatusFile(statusPath(settings), settings.from ?? settings.url ?? "", { isReadOnly: isDryRun }),
    limit: pLimit(settings.parallel),
    progress: output.progress(),
    signal: signals.stop,
    isDryRun,
    refusedIds: new Set(),
    log: (message) => {
      if (isVerbose) output.info(`${message}\n`);
    },
  };
}

/**
 * The default is a delay only for unattended runs that have worked before. The first run of a new machine or key is not
 * delayed, so that a wrong key or address is reported at once.
 */
async function jitterOf({ output, env }: CommandContext, settings: Settings): Promise<number> {
  if (settings.jitterMs !== undefined) return settings.jitterMs;
  if (output.isInteractive || env.CI) return 0;
  const { files, failures } = await readStatus(statusPath(settings), settings.from ?? settings.url);
  const hasWorked =
    Object.keys(files).length > 0 && !Object.values(failures).some(({ kind }) => kind === "unauthorized");
  return hasWorked ? DEFAULT_JITTER_MS : 0;
}

async function waitFor(durationMs: number, { output, signals }: CommandContext, isQuiet: boolean): Promise<void> {
  if (durationMs > 1000 && !isQuiet) {
    output.info(
      `waiting ${formatSeconds(durationMs / 1000)}, so that not all clients connect at the same time (--no-jitter skips this)\n`,
    );
  }
  await pause(durationMs, signals.stop);
}
