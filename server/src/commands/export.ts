import { readFile, stat } from "node:fs/promises";
import { FORMATS } from "@dbdepot/contract/formats";
import type { ExportOptions } from "@dbdepot/exporter/options";
import { inRows } from "@dbdepot/terminal/amounts";
import { choiceOption, parseList } from "@dbdepot/terminal/arguments";
import { Progress } from "@dbdepot/terminal/progress";
import { details } from "@dbdepot/terminal/table";
import { invalid } from "../faults.ts";
import { command, type Workplace } from "./command.ts";

export const exportCommands = [
  command({
    words: "export",
    summary: "From a CSV with a header make the files of a build: csv.gz, mmdb and metadata document.",
    arguments: ["CSV"],
    options: {
      id: { value: "ID", required: true, help: "The version that it is a build of, like vpn_ip_v1." },
      out: { value: "DIR", required: true, help: "Where the files go; made if it is not there." },
      updated: { value: "DAY", help: "The day on which the data was generated; left out: today." },
      "update-freq": { value: "TEXT", help: "How often a new build is published, in words." },
      formats: { value: "LIST", help: "csvgz, mmdb, or both by comma; left out: all that the data allows." },
      columns: { value: "FILE", help: "Types and descriptions: a line name:type:description each, or JSON." },
      description: { value: "TEXT", help: "What the mmdb says of itself; left out: its id." },
    },
    async run(workplace, [input], { id, out, updated, "update-freq": updateFreq, formats, columns, description }) {
      const progress = await exportProgress(workplace, input, id);
      const options: ExportOptions = {
        id,
        input,
        outDir: out,
        updated: updated ?? workplace.clock().toISOString().slice(0, "YYYY-MM-DD".length),
        onProgress: progress.on,
      };
      if (updateFreq !== undefined) options.updateFreq = updateFreq;
      if (description !== undefined) options.description = description;
      // Loaded here: `serve` starts faster, and smaller, without the exporter.
      const { parseColumnSpecs } = await import("@dbdepot/exporter/columns/column-spec");
      const { exportDatabase } = await import("@dbdepot/exporter/export");
      if (columns !== undefined) options.columns = parseColumnSpecs(await readText("columns", columns));
      if (formats !== undefined) options.formats = parseList(formats).flatMap(formatOption);
      const made = await exportDatabase(options).finally(progress.end);
      const paths = Object.fromEntries(Object.entries(made.files).map(([format, { path }]) => [format, path]));
      return {
        json: {
          id,
          entries: made.entries,
          files: Object.fromEntries(
            Object.entries(made.files).map(([format, { path, sizeBytes }]) => [
              format,
              { path, size_bytes: sizeBytes },
            ]),
          ),
          metadata_path: made.metadataPath,
          warnings: made.warnings,
        },
        text:
          details({ version: id, rows: made.entries, ...paths, metadata: made.metadataPath }) +
          made.warnings.map((warning) => `Note: ${warning}\n`).join(""),
      };
    },
  }),
];

/** First the bytes of the input are read, then its rows become an mmdb. */
async function exportProgress({ say }: Workplace, input: string, id: string) {
  const sizeBytes = (await stat(input).catch(() => undefined))?.size;
  let progress = new Progress({ label: `reading ${input}`, total: sizeBytes, say });
  let stage = "reading";
  let rowsRead = 0;
  const on: ExportOptions["onProgress"] = (bytesRead, rows, now) => {
    if (now !== stage) {
      progress.end();
      progress = new Progress({ label: `making ${id}.mmdb`, total: rowsRead, unit: inRows, say });
      stage = now;
    }
    if (now === "reading") rowsRead = rows;
    progress.reach(now === "reading" ? bytesRead : rows);
  };
  return { on, end: () => progress.end() };
}

function formatOption(text: string) {
  return choiceOption("formats", text, FORMATS) ?? [];
}

async function readText(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw invalid(`--${option}: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}
