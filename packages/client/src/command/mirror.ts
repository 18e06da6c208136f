import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, examples, type Result, UsageError } from "@dbdepot/terminal/command";
import type { DbdepotClient } from "../client.ts";
import { DbdepotError } from "../errors.ts";
import type { MirroredDatabase, MirrorOptions } from "../mirror/options.ts";
import { settingOption } from "./config/options.ts";
import type { CommandContext, Run } from "./context.ts";
import { isDownloadable } from "./downloadable.ts";
import { EXIT, exitCodeOfAll } from "./exit-codes.ts";
import { inOneLine } from "./explanation.ts";
import type { MirrorRound } from "./mirror/serve.ts";
import { trustPath } from "./sync/status.ts";

type Mirrored = MirroredDatabase | { id: string; error: unknown };

export function addMirrorCommand(program: Command, run: Run): void {
  program
    .command("mirror")
    .description("Keep a directory with everything you are licensed for, from which others can sync")
    .argument("<directory>", "directory of the mirror")
    .addOption(settingOption("delivery"))
    .addOption(settingOption("deltas"))
    .addOption(settingOption("trust"))
    .option(
      "--serve [address]",
      "keep running: follow the service, and serve the mirror at HOST:PORT (default: port 8090)",
    )
    .addOption(settingOption("interval"))
    .option("--tokens <file>", "with --serve: names and SHA-256 of tokens, of which every request must have one")
    .option("--open", "with --serve and without --tokens: answer public addresses, too")
    .option("--tls-cert <file>", "with --serve: certificate chain for HTTPS, in PEM")
    .option("--tls-key <file>", "with --serve: private key of the certificate, in PEM")
    .addHelpText(
      "after",
      examples(
        "dbdepot mirror /srv/mirror",
        "dbdepot mirror /srv/mirror --serve :8090",
        "dbdepot sync --all --from /srv/mirror",
        "dbdepot sync --all --from https://mirror.example",
      ),
    )
    .action(run(mirror));
}

interface MirrorFlags {
  delivery?: string | undefined;
  deltas?: string | undefined;
  trust?: string | undefined;
  every?: string | undefined;
  serve?: string | true | undefined;
  tokens?: string | undefined;
  open?: boolean | undefined;
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
}

async function mirror(context: CommandContext, path: string, flags: MirrorFlags): Promise<Result | undefined> {
  const { output, signals } = context;
  const { serve, every, tokens, open = false, tlsCert, tlsKey, ...others } = flags;
  const directory = resolve(path);
  const settingFlags = { ...others, interval: every };
  const settings = context.settings(settingFlags);
  if (settings.from !== undefined) throw new UsageError("a mirror is made from the service: unset from");
  const progress = output.progress();
  const tasks = new Map<string, ReturnType<typeof progress.begin>>();
  const mirrorOptions: MirrorOptions = {
    directory,
    delivery: settings.delivery,
    deltas: settings.deltas,
    signal: signals.stop,
    onProgress: (file, p) => {
      const task = tasks.get(file) ?? progress.begin(file);
      tasks.set(file, task);
      task.update(p.receivedBytes, p.totalBytes ?? undefined, p.resumedFromBytes);
    },
  };
  const round: MirrorRound = async (client, onMirrored = async () => {}) => {
    await mkdir(directory, { recursive: true });
    const catalogue = (await client.list({ signal: signals.stop })).filter(isDownloadable);
    const results: Mirrored[] = [];
    for (const { id } of catalogue.flatMap(({ versions }) => versions)) {
      const result = await mirrorOne(client, id, mirrorOptions);
      if (result) results.push(result);
      for (const task of tasks.values()) task.end();
      tasks.clear();
      await onMirrored(id);
    }
    await client.finishMirror(catalogue, mirrorOptions);
    return { errors: results.flatMap((each) => ("error" in each ? [each.error] : [])), result: resultOf(results) };
  };
  if (serve === undefined) {
    const unused = Object.entries({ every, tokens, open: open || undefined, tlsCert, tlsKey });
    if (unused.some(([, value]) => value !== undefined)) {
      throw new UsageError("--every, --tokens, --open, --tls-cert and --tls-key need --serve");
    }
    return (await round(context.client(settings, { trustFile: trustPath({ directory }) }))).result;
  }
  const { serveMirror } = await import("./mirror/serve.ts");
  const listening = { address: serve === true ? "" : serve, tokens, isOpen: open, tlsCert, tlsKey };
  await serveMirror(context, { directory, settings, flags: settingFlags, round, listening });
  return undefined;
}

/** Undefined if the database has no build yet. A failure does not affect other databases. */
async function mirrorOne(
  client: DbdepotClient,
  id: string,
  options: Parameters<DbdepotClient["mirror"]>[1],
): Promise<Mirrored | undefined> {
  try {
    return await client.mirror(id, options);
  } catch (error) {
    const isUnpublished = error instanceof DbdepotError && error.rc === "NOT_AVAILABLE";
    if (error instanceof DbdepotError && error.kind === "aborted") throw error;
    return isUnpublished ? undefined : { id, error };
  }
}

function resultOf(results: readonly Mirrored[]): Result {
  const errors = results.flatMap((result) => ("error" in result ? [result.error] : []));
  const exitCode = exitCodeOfAll(errors);
  const lines = results.map((result) => {
    if ("error" in result) return `FAILED     ${result.id}: ${inOneLine(result.error)}\n`;
    const { isChanged, id, sequence, buildId } = result;
    return `${isChanged ? "changed  " : "unchanged"}  ${id}: manifest ${sequence}, build ${buildId}\n`;
  });
  return {
    json: {
      ok: exitCode === EXIT.ok,
      databases: results.map((result) =>
        "error" in result
          ? { database: result.id, result: "failed", message: inOneLine(result.error) }
          : {
              database: result.id,
              result: result.isChanged ? "changed" : "unchanged",
              sequence: result.sequence,
              build_id: result.buildId,
            },
      ),
    },
    text: lines.join("") || "Nothing to mirror: you are not licensed for any database with a build.\n",
    exitCode,
  };
}
