import { type Command, examples, Option } from "@dbdepot/terminal/command";
import { formatBytes, formatTime } from "@dbdepot/terminal/format";
import type { UsageCounts, UsageReport } from "../api/wire.gen.ts";
import type { Run } from "./context.ts";

export function addUsageCommand(program: Command, run: Run): void {
  program
    .command("usage")
    .description("Report what your organization downloaded, by month, day or database")
    .option("--from <date>", "first day (default: this month; by month: the last twelve months)")
    .option("--to <date>", "the day after the last one, like 2027-02-01 for all of January (default: tomorrow)")
    .addOption(
      new Option("--by <unit>", "one line per day, month or database")
        .choices(["day", "month", "database"] as const)
        .default("month" as const),
    )
    .addHelpText("after", examples("dbdepot usage", "dbdepot usage --by database --from 2027-01-01 --to 2027-02-01"))
    .action(
      run(async ({ output, client, signals }, options) => {
        const report = await client().usage({ ...options, signal: signals.stop });
        const isByDatabase = options.by === "database";
        const rows = report.usage.map((line) => [
          ...(isByDatabase ? [line.dataset_id || "(unknown)", line.format] : [line.period]),
          ...cells(line),
          line.closed ? "closed" : "open",
        ]);
        const total = ["TOTAL", ...(isByDatabase ? [""] : []), ...cells(report.totals), ""];
        const maximum = options.by === "day" ? "" : "/DAY";
        const headings = [
          ...(isByDatabase ? ["DATABASE", "FORMAT"] : [options.by.toUpperCase()]),
          ...["NEW BUILDS", "REPEATS", "REFUSED", "BYTES", `KEYS${maximum}`, `ADDRESSES${maximum}`, "STATE"],
        ];
        const table = output.table(headings, rows.length > 0 ? [...rows, total] : [], "No downloads found.");
        return { json: report, text: `${table}${noteOf(report)}` };
      }),
    );
}

function cells({ first_downloads, repeats, refused, bytes, keys, addresses }: UsageCounts): (string | number)[] {
  return [first_downloads, repeats, refused, formatBytes(bytes), keys, addresses];
}

function noteOf({ updated }: UsageReport): string {
  return updated === null ? "" : `\nCounted up to ${formatTime(new Date(updated))}, without samples.\n`;
}
