import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Command, examples, note, Option, type Result, UsageError } from "@dbdepot/terminal/command";
import { formatBytes } from "@dbdepot/terminal/format";
import type { DbdepotClient } from "../client.ts";
import type { Format } from "../wire.ts";
import { settingOption } from "./config/options.ts";
import type { CommandContext, Run } from "./context.ts";
import { FORMATS, fileNameOf, preferredFormat } from "./formats.ts";

const STDOUT = "-";

interface DownloadOptions {
  format?: Format | undefined;
  to?: string | undefined;
  build?: string | undefined;
  delivery?: string | undefined;
}

export function addDownloadCommand(program: Command, run: Run): void {
  program
    .command("download")
    .description("Download one file, verify it and put it in place")
    .argument("<id>", "database, like vpn_ip_v1")
    .addOption(new Option("--format <format>", "file format, by default mmdb if available").choices(FORMATS))
    .option("--to <path>", 'file or directory to write to, or "-" for standard output (default: current directory)')
    .option("--build <build>", "id of the build to download (default: the current one)")
    .addOption(settingOption("delivery"))
    .addHelpText(
      "after",
      note(
        "Data on standard output is verified as it passes: it is good only if the exit code is 0 (use set -o pipefail in a pipe).",
      ),
    )
    .addHelpText(
      "after",
      examples(
        "dbdepot download vpn_ip_v1 --to /var/lib/dbdepot/",
        "dbdepot download vpn_ip_v1 --format csvgz --to - | gunzip > vpn.csv",
      ),
    )
    .action(run(download));
}

async function download(
  { output, settings: readSettings, client: createClient, signals }: CommandContext,
  id: string,
  { format: wantedFormat, to, build, delivery }: DownloadOptions,
): Promise<Result | undefined> {
  if (to === STDOUT && output.isJson) throw new UsageError("--to - and --json both write to standard output");
  const settings = readSettings({ delivery });
  const client = createClient(settings);
  const format = wantedFormat ?? (await defaultFormat(client, id, build));
  const path = to === STDOUT ? undefined : await targetPath(to, fileNameOf(id, format));
  const task = output.progress().begin(fileNameOf(id, format));
  const downloaded = await client
    .download(id, format, {
      to: path ?? process.stdout,
      build,
      delivery: settings.delivery,
      signal: signals.stop,
      onProgress: (p) => task.update(p.receivedBytes, p.totalBytes ?? undefined, p.resumedFromBytes),
    })
    .finally(() => task.end());
  const { sizeBytes, sha256, buildId } = downloaded;
  const size = `${sizeBytes} bytes${sizeBytes < 1024 ? "" : ` (${formatBytes(sizeBytes)})`}`;
  const text = output.details({ file: path ?? "standard output", size, sha256, build: buildId });
  if (path === undefined) {
    output.info(text);
    return undefined;
  }
  return {
    json: {
      id,
      format,
      path,
      size_bytes: sizeBytes,
      sha256,
      build_id: buildId,
      resumed_from_bytes: downloaded.resumedFromBytes,
    },
    text,
  };
}

async function defaultFormat(client: DbdepotClient, id: string, build: string | undefined): Promise<Format> {
  const answer = await client.metadata(id, { build });
  return answer.changed ? preferredFormat(answer.metadata) : FORMATS[0];
}

async function targetPath(to: string | undefined, name: string): Promise<string> {
  if (to === undefined) return name;
  const isDirectory =
    to.endsWith("/") ||
    (await stat(to).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  return isDirectory ? join(to, name) : to;
}
