import { readFile, stat } from "node:fs/promises";
import { FORMATS, type Format } from "@dbdepot/contract/shared/formats";
import type { ExportedFiles } from "@dbdepot/exporter/export";
import type { ExportOptions } from "@dbdepot/exporter/options";
import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import { formatBytes, formatRows } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import { integer, listOf } from "@dbdepot/terminal/values";
import { invalid } from "../platform/primitives/faults.ts";
import { explainFileError } from "../platform/runtime/file-errors.ts";
import type { CommandContext, Run } from "./context.ts";
import { interruptible } from "./interruption.ts";

interface ExportCommandOptions {
  id: string;
  out: string;
  updated?: string | undefined;
  updateFreq?: string | undefined;
  formats?: Format[] | undefined;
  columns?: string | undefined;
  description?: string | undefined;
  sample?: number | undefined;
}

const SAMPLE_ROWS_MAX = 1_000_000;

export function addExportCommand(program: Command, run: Run): void {
  program
    .command("export")
    .description("Create the files of a build from a CSV with a header: csv.gz, mmdb and metadata")
    .argument("<csv>", "input file")
    .requiredOption("--id <id>", "version that this is a build of, like vpn_ip_v1")
    .requiredOption("--out <dir>", "output directory, created if missing")
    .option("--updated <day>", "day on which the data was generated (default: today)")
    .option("--update-freq <text>", 'how often a new build is published, like "daily"')
    .option("--formats <list>", "csvgz, mmdb or csvgz,mmdb (default: all that the data allows)", listOf(FORMATS))
    .option("--columns <file>", "column types and descriptions: lines of name:type:description, or JSON")
    .option("--description <text>", "description stored in the mmdb (default: the id)")
    .option(
      "--sample <rows>",
      "also write sample files with this many rows, spread over the whole input (default: none)",
      integer(1, SAMPLE_ROWS_MAX),
    )
    .addHelpText(
      "after",
      examples(
        "dbdepot-server export vpn.csv --id vpn_ip_v1 --out build",
        "dbdepot-server export vpn.csv --id vpn_ip_v1 --out build --sample 1000 \\",
        "  --update-freq daily --columns columns.txt",
      ),
    )
    .action(run(exportFiles));
}

async function exportFiles(
  { output, clock }: CommandContext,
  input: string,
  { id, out, updated, updateFreq, formats, columns, description, sample }: ExportCommandOptions,
): Promise<Result> {
  const progress = await exportProgress(output, input, id);
  const options: ExportOptions = {
    id,
    input,
    outDir: out,
    updated: updated ?? clock().toISOString().slice(0, "YYYY-MM-DD".length),
    onProgress: progress.update,
  };
  if (updateFreq !== undefined) options.updateFreq = updateFreq;
  if (description !== undefined) options.description = description;
  if (formats !== undefined) options.formats = formats;
  if (sample !== undefined) options.sampleRows = sample;
  // Imported on demand, so that `serve` does not load the exporter.
  const { parseColumnSpecs } = await import("@dbdepot/exporter/columns/column-spec");
  const { exportDatabase } = await import("@dbdepot/exporter/export");
  if (columns !== undefined) options.columns = parseColumnSpecs(await readText("columns", columns));
  const made = await interruptible("no files were written", (signal) =>
    exportDatabase({ ...options, signal }).finally(progress.end),
  );
  return {
    json: {
      id,
      entries: made.entries,
      files: filesToJson(made.files),
      ...(made.sample && { sample: { entries: made.sample.entries, files: filesToJson(made.sample.files) } }),
      metadata_path: made.metadataPath,
      warnings: made.warnings,
    },
    text:
      output.details({
        version: id,
        rows: made.entries,
        ...filesToText(made.files),
        ...(made.sample && { "sample rows": made.sample.entries, ...filesToText(made.sample.files, "sample ") }),
        metadata: made.metadataPath,
      }) + made.warnings.map((warning) => `Warning: ${warning}\n`).join(""),
  };
}

function filesToJson(files: ExportedFiles) {
  return Object.fromEntries(
    Object.entries(files).map(([format, { path, sizeBytes }]) => [format, { path, size_bytes: sizeBytes }]),
  );
}

function filesToText(files: ExportedFiles, prefix = "") {
  return Object.fromEntries(
    Object.entries(files).map(([format, { path, sizeBytes }]) => [
      `${prefix}${format}`,
      `${path} (${formatBytes(sizeBytes)})`,
    ]),
  );
}

/** Shows the bytes read first, then the rows of the mmdb and those that the sample is picked from. */
async function exportProgress(output: Output, input: string, id: string) {
  const sizeBytes = (await stat(input).catch(() => undefined))?.size;
  const progress = output.progress();
  let task = progress.begin(`reading ${input}`, { total: sizeBytes });
  let stage = "reading";
  let rowsRead = 0;
  const update: ExportOptions["onProgress"] = (bytesRead, rows, now) => {
    if (now !== stage) {
      task.end();
      const file = now === "mmdb" ? `${id}.mmdb` : "the sample";
      task = progress.begin(`writing ${file}`, { total: rowsRead, unit: formatRows });
      stage = now;
    }
    if (now === "reading") rowsRead = rows;
    task.update(now === "reading" ? bytesRead : rows);
  };
  return { update, end: () => task.end() };
}

async function readText(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw invalid(`--${option}: ${explainFileError(error) ?? (error as Error).message}`);
  }
}
