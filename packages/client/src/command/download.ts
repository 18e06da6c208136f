import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Command, examples, note, Option, type Result, UsageError } from "@dbdepot/terminal/command";
import { formatBytes } from "@dbdepot/terminal/format";
import type { Format, Manifest } from "../api/wire.gen.ts";
import { type DbdepotClient, fileOf } from "../client.ts";
import { DbdepotError, isLicenceRefusal } from "../errors.ts";
import { settingOption } from "./config/options.ts";
import type { CommandContext, Run } from "./context.ts";
import { inOneLine } from "./explanation.ts";
import { FORMATS, fileNameOf, preferredFormat } from "./formats.ts";
import { suggestingId } from "./suggestion.ts";
import { sha256Of, statFile } from "./sync/local-file.ts";
import { percentage } from "./sync/report.ts";
import { trustPath } from "./sync/status.ts";

const STDOUT = "-";

interface DownloadOptions {
  format?: Format | undefined;
  to?: string | undefined;
  sample?: boolean | undefined;
  build?: string | undefined;
  delivery?: string | undefined;
  deltas?: string | undefined;
  trust?: string | undefined;
  maxAge?: string | undefined;
  onStale?: string | undefined;
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
    .addOption(settingOption("deltas"))
    .addOption(settingOption("trust"))
    .addOption(settingOption("max_age"))
    .addOption(settingOption("on_stale"))
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
  {
    format: wantedFormat,
    to,
    sample = false,
    build,
    delivery,
    deltas,
    trust,
    maxAge,
    onStale,
    force = false,
  }: DownloadOptions,
): Promise<Result | undefined> {
  if (to === STDOUT && output.isJson) throw new UsageError("--to - and --json both write to standard output");
  const settings = readSettings({ delivery, deltas, trust, max_age: maxAge, on_stale: onStale });
  const trustFile = trustPath(settings);
  // Only sync trusts a key on first use, because it has a directory to remember it in.
  const client = createClient(settings, existsSync(trustFile) ? { trustFile, isTrustFileReadOnly: true } : {});
  const asked = { id, sample, build, signal: signals.stop };
  const suggesting = suggestingId(client, id, signals.stop);
  const recording = recordingRefusal(client, id, wantedFormat);
  const recorded = <T>(work: Promise<T>): Promise<T> => recording(work).catch(suggesting);
  // Verify the manifest before using anything else that the service or mirror sends.
  const manifest = await recorded(client.manifestFor(id, asked));
  const format = wantedFormat ?? (await recorded(defaultFormat(client, asked, manifest)));
  const signed = manifest && fileOf(manifest, format, sample);
  const name = fileNameOf(id, format, sample);
  const path = to === STDOUT ? undefined : await targetPath(to, name);
  const expected = async () => signed ?? (await checksumOf(client, format, asked));
  const existing = path === undefined || force ? undefined : await recorded(currentFile(path, expected));
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
        received_bytes: 0,
        method: "file",
        patch_failure: null,
      },
      text: `${output.details({ file: path, sha256, build: buildId })}The file is already current.\n`,
    };
  }
  const task = output.progress().begin(name);
  let patchFailure: string | undefined;
  const download = client
    .download(id, format, {
      ...asked,
      ...signed,
      to: path ?? process.stdout,
      // The manifest was verified above, if a key is trusted.
      verify: false,
      delivery: settings.delivery,
      deltas: force ? "never" : settings.deltas,
      onPatchWait: () => output.info("waiting for the patch from your file, which the service is making\n"),
      onPatchFailure: (error) => {
        patchFailure = inOneLine(error);
        output.info(`${patchFailure}; downloading the whole file\n`);
      },
      onProgress: (p) => task.update(p.receivedBytes, p.totalBytes ?? undefined, p.resumedFromBytes),
    })
    .finally(() => task.end());
  // Other downloads begin with a request for a link, which the service records itself.
  const downloaded = await (settings.delivery === "stream" ? recorded(download) : download.catch(suggesting));
  const { sizeBytes, sha256, buildId, method, transferredBytes } = downloaded;
  const size = `${sizeBytes} bytes${sizeBytes < 1024 ? "" : ` (${formatBytes(sizeBytes)})`}`;
  const share = method === "file" ? undefined : percentage(transferredBytes, sizeBytes);
  const text = output.details({
    file: path ?? "standard output",
    size,
    ...(share && { downloaded: `${formatBytes(transferredBytes)} (${share} of the bytes)` }),
    sha256,
    build: buildId,
  });
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
      received_bytes: transferredBytes,
      method,
      patch_failure: patchFailure ?? null,
    },
    text,
  };
}

interface Asked {
  id: string;
  sample: boolean;
  build: string | undefined;
  signal: AbortSignal;
}

/** The service does not record requests for manifests, metadata and checksums, so their refusals are recorded here. */
function recordingRefusal(client: DbdepotClient, id: string, format: Format = FORMATS[0]) {
  return <T>(work: Promise<T>): Promise<T> =>
    work.catch(async (error: unknown) => {
      if (isLicenceRefusal(error)) await client.recordRefusal(id, format);
      throw error;
    });
}

async function defaultFormat(client: DbdepotClient, asked: Asked, manifest: Manifest | undefined): Promise<Format> {
  const { id, sample, build, signal } = asked;
  if (manifest) {
    return FORMATS.find((format) => manifest.files[sample ? (`sample_${format}` as const) : format]) ?? FORMATS[0];
  }
  if (sample) return sampleFormat(client, id);
  const result = await client.metadata(id, { build, signal });
  return result.changed ? preferredFormat(result.metadata) : FORMATS[0];
}

/** Reads the catalogue, because the metadata needs a licence and a sample does not. */
async function sampleFormat(client: DbdepotClient, id: string): Promise<Format> {
  const versions = (await client.list()).flatMap((family) => family.versions);
  const version = versions.find((one) => one.id === id);
  const format = FORMATS.find((one) => version?.sample_formats?.includes(one));
  if (version && !format) throw new DbdepotError("bad_request", `${id} has no sample`);
  return format ?? FORMATS[0];
}

async function checksumOf(client: DbdepotClient, format: Format, { id, ...options }: Asked) {
  const { checksums, buildId } = await client.checksums(id, format, options);
  return { sha256: checksums.sha256, build: buildId };
}

/** Returns the file at this path if it is the one that would be downloaded. */
async function currentFile(path: string, expected: () => Promise<{ sha256: string; build: string | null }>) {
  const found = await statFile(path);
  if (!found?.sizeBytes) return undefined;
  const { sha256, build: buildId } = await expected();
  return (await sha256Of(path)) === sha256 ? { sizeBytes: found.sizeBytes, sha256, buildId } : undefined;
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
