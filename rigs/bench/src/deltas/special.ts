/** Compares patches with general tools, on files that are hard to patch. */
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { markdownTable } from "../../../harness/markdown-table.ts";
import { hasMaxmindWriter, maxmindLines, writeMaxmind } from "../../../harness/maxmind-writer.ts";
import { run } from "../../../harness/processes.ts";
import { Random } from "../../../harness/random.ts";
import { isInstalled } from "../../../harness/tools.ts";
import type { Bench } from "../bench.ts";
import { exportRows, ID, type Measured, PATCH_FILES } from "./deltas.ts";
import { csvLines } from "./rows.ts";

const ROWS = 200_000;
const RECORDS = 60_000;
const QUICK_SHARE = 0.01;
const MAXMIND = { ipVersion: 6, recordSizeBits: 28, hasAliases: true } as const;

/** Commands with which other programs make a patch. */
const TOOLS: Record<string, (base: string, result: string, patch: string) => string[]> = {
  bsdiff: (base, result, patch) => [base, result, patch],
  xdelta3: (base, result, patch) => ["-e", "-9", "-f", "-s", base, result, patch],
  zstd: (base, result, patch) => ["-q", "-f", "-19", "--long=27", `--patch-from=${base}`, result, "-o", patch],
};

interface Case {
  kind: "csvgz" | "mmdb";
  change: string;
  base: string;
  result: string;
}

export async function specialTable(bench: Bench): Promise<string> {
  const tools = Object.keys(TOOLS).filter((tool) => isInstalled(tool));
  const table: string[][] = [];
  for await (const { kind, change, base, result } of cases(bench)) {
    const patch = bench.newPath("patch");
    const { stdout } = await run(process.execPath, [PATCH_FILES, "make", kind, base, result, patch]);
    const { resultBytes, patchBytes }: Measured = JSON.parse(stdout);
    const share = (bytes: number) => `${((bytes / resultBytes) * 100).toFixed(2)} %`;
    const cells = [
      kind === "mmdb" ? "mmdb" : "csv.gz",
      change,
      `${(resultBytes / 1e6).toFixed(1)} MB`,
      share(patchBytes),
    ];
    for (const tool of tools) {
      const other = bench.newPath(tool);
      await run(tool, TOOLS[tool]?.(base, result, other) ?? []);
      cells.push(share((await stat(other)).size));
    }
    table.push(cells);
    bench.log(cells.join(", "));
  }
  return markdownTable(["format", "change", "file", "patch", ...tools], table);
}

async function* cases(bench: Bench): AsyncGenerator<Case> {
  const rows = bench.isQuick ? ROWS * QUICK_SHARE : ROWS;
  if (hasMaxmindWriter()) {
    const base = bench.newPath("base.mmdb");
    await writeMaxmind(base, maxmindLines(rows, "none"), MAXMIND);
    for (const [kind, change] of [
      ["hundredth", "1 % of the networks"],
      ["times", "a time in each network"],
    ] as const) {
      const result = bench.newPath("result.mmdb");
      await writeMaxmind(result, maxmindLines(rows, kind), MAXMIND);
      yield { kind: "mmdb", change: `${change}, MaxMind::DB::Writer`, base, result };
    }
  }
  const directories: string[] = [];
  for (const day of [1, 2]) directories.push(await exportRows(bench, withTime(csvLines(rows), day), `2026-01-0${day}`));
  for (const [kind, extension] of [
    ["mmdb", "mmdb"],
    ["csvgz", "csv.gz"],
  ] as const) {
    const [base, result] = directories.map((directory) => join(directory, `${ID}.${extension}`)) as [string, string];
    yield { kind, change: "a time in each row", base, result };
  }
  for (const directory of directories) await rm(directory, { recursive: true });
  const count = bench.isQuick ? RECORDS * QUICK_SHARE : RECORDS;
  const records = Array.from({ length: count }, (_, i) => `"Name ${i % 997}\nStreet ${i % 31}\n",${i % 7}\n`);
  const [base, result] = [bench.newPath("base.csv.gz"), bench.newPath("result.csv.gz")];
  await writeFile(base, gzipSync(records.join("")));
  await writeFile(result, gzipSync(records.toSpliced(count >> 1, 1).join("")));
  const change = `one record of ${count.toLocaleString("en-US")} is removed, lines repeat`;
  yield { kind: "csvgz", change, base, result };
}

/** Adds a column with a time that differs in each row, and each day. */
function* withTime(lines: Iterable<string>, day: number): Generator<string> {
  const random = new Random(7);
  let isHeader = true;
  for (const line of lines) {
    const [earlier, later] = [random.integer(1_600_000_000, 1_700_000_000), random.integer(1, 86_400)];
    yield `${line.trimEnd()},${isHeader ? "last_seen" : day === 1 ? earlier : earlier + later}\n`;
    isHeader = false;
  }
}
