import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Command, examples, note, Option, type Result, UsageError } from "@dbdepot/terminal/command";
import { formatBytes } from "@dbdepot/terminal/format";
import type { DbdepotClient } from "../client.ts";
import { DbdepotError } from "../errors.ts";
import type { Format } from "../wire.ts";
import { settingOption } from "./config/options.ts";
import type { CommandContext, Run } from "./context.ts";
import { FORMATS, fileNameOf, preferredFormat } from "./formats.ts";
import { sha256Of, statFile } from "./sync/local-file.ts";
import { trustPath } from "./sync/status.ts";

const STDOUT = "-";

interface DownloadOptions {
  format?: Format | undefined;
  to?: string | undefined;
  sample?: boolean | undefined;
  build?: string | undefined;
  delivery?: string | undefined;
  trust?: string | undefined;
  force?: boolean | undefined;
}

export function addDownloadCommand(program: Command, run: Run): void {
  program
    .command("download")
    .description("Download one file and verify it, unless it is already current")
    .argument("<id>", "database, like vpn_ip_v1")
    .addOption(new Option("--format <format>", "file format (default: mmdb if available)").choices(FORMATS))
    .option("--to <path>", 'file or directory to write to, or "-" for standard output (default: current directory)')
    .option("--sample", "download the sample, which needs no licence")
    .option("--build <build>", "id of the build to download (default: the current one)")
    .addOption(settingOption("delivery"))
    .addOption(settingOption("trust"))
    .option("--force", "download even if the file is already current")
    .addHelpText(
      "after",
      note(
        "With --to -, data is verified while it is written: use it only if the exit code is 0 (in a pipe, use set -o pipefail).",
      ),
    )
    .addHelpText(
      "after",
      examples(
        "dbdepot download vpn_ip_v1 --to /var/lib/dbdepot/",
        "dbdepot download vpn_ip_v1 --format csvgz --to - | gunzip > vpn.csv",
        "dbdepot download vpn_ip_v1 --sample",
      ),
    )
    .action(run(download));
}

async function download(
  { output, settings: readSettings, client: createClient, signals }: CommandContext,
  id: string,
  { format: wantedFormat, to, sample = false, build, delivery, trust, force = false }: DownloadOptions,
): Promise<Result | undefined> {
  if (to === STDOUT && output.isJson) throw new UsageError("--to - and --json both write to standard output");
  const settings = readSettings({ delivery, trust });
  const trustFile = trustPath(settings);
  // Only sync trusts a key on first use, because it has a directory to remember it in.
  const client = createClient(settings, existsSync(trustFile) ? { trustFile, isTrustFileReadOnly: true } : {});
  const format = wantedFormat ?? (await (sample ? sampleFormat(client, id) : defaultFormat(client, id, build)));
  const name = fileNameOf(id, format, sample);
  const path = to === STDOUT ? undefined : await targetPath(to, name);
  const wanted = { id, format, sample, build };
  const existing = path === undefined || force ? undefined : await currentFile(client, path, wanted);
  if (path !== undefined && existing) {
    const { sizeBytes, sha256, buildId } = existing;
    return {
      json: {
        id,
        format,
        sample,
        path,
        unchanged: true,
        size_bytes: sizeBytes,
        sha256,
        build_id: buildId,
        resumed_from_bytes: 0,
      },
      text: `${output.details({ file: path, sha256, build: buildId })}The file is already current.\n`,
    };
  }
  const task = output.progress().begin(name);
  const downloaded = await client
    .download(id, format, {
      to: path ?? process.stdout,
      sample,
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
      sample,
      path,
      unchanged: false,
      size_bytes: sizeBytes,
      sha256,
      build_id: buildId,
      resumed_from_bytes: downloaded.resumedFromBytes,
    },
    text,
  };
}

async function defaultFormat(client: DbdepotClient, id: string, build: string | undefined): Promise<Format> {
  const result = await client.metadata(id, { build });
  return result.changed ? preferredFormat(result.metadata) : FORMATS[0];
}

/** Not from the metadata, which needs a licence. */
async function sampleFormat(client: DbdepotClient, id: string): Promise<Format> {
  const versions = (await client.list()).flatMap((family) => family.versions);
  const version = versions.find((one) => one.id === id);
  const format = FORMATS.find((one) => version?.sample_formats?.includes(one));
  if (version && !format) throw new DbdepotError("bad_request", `${id} has no sample`);
  return format ?? FORMATS[0];
}

/** The file at this path, if it is what would be downloaded. */
async function currentFile(
  client: DbdepotClient,
  path: string,
  { id, format, ...options }: { id: string; format: Format; sample: boolean; build: string | undefined },
) {
  const found = await statFile(path);
  if (!found?.sizeBytes) return undefined;
  const { checksums, buildId } = await client.checksums(id, format, options);
  const isCurrent = (await sha256Of(path)) === checksums.sha256;
  return isCurrent ? { sizeBytes: found.sizeBytes, sha256: checksums.sha256, buildId } : undefined;
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
