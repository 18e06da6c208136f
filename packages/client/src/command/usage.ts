import { type Command, examples, InvalidArgumentError, Option } from "@dbdepot/terminal/command";
import { formatBytes, formatTime } from "@dbdepot/terminal/format";
import type { UsageCounts, UsageReport } from "../api/wire.gen.ts";
import type { Run } from "./context.ts";
import { explainRejection } from "./rejection.ts";

/** Why the service may have rejected a report. */
export const INVALID_PERIOD =
  "check that both dates exist, that the end is later than the start, and that a report by day, or by database for parts of months, covers at most 400 days";

export function addUsageCommand(program: Command, run: Run): void {
  program
    .command("usage")
    .description("Report what your organization downloaded, by month, day or database")
    .option("--from <date>", "first day (default: this month; by month: the last twelve months)", date)
    .option("--to <date>", "the day after the last one, like 2027-02-01 for all of January (default: tomorrow)", date)
    .addOption(
      new Option("--by <unit>", "one line per day, month or database")
        .choices(["day", "month", "database"] as const)
        .default("month" as const),
    )
    .addHelpText("after", examples("dbdepot usage", "dbdepot usage --by database --from 2027-01-01 --to 2027-02-01"))
    .action(
      run(async ({ output, client, signals }, options) => {
        const call = client().usage({ ...options, signal: signals.stop });
        const report = await explainRejection(call, () => INVALID_PERIOD);
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
          ...["NEW BUILDS", "REPEATS", "REFUSED", "BYTES", "SAVED", `KEYS${maximum}`, `ADDRESSES${maximum}`, "STATE"],
        ];
        const table = output.table(headings, rows.length > 0 ? [...rows, total] : [], "No downloads found.");
        return { json: report, text: `${table}${noteOf(report)}` };
      }),
    );
}

/** The service checks whether the date exists. */
function date(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}(?:$|[Tt ])/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError("Use a date like 2027-01-31 or 2027-01-31T12:00:00Z.");
  }
  return text;
}

function cells({
  first_downloads,
  repeats,
  refused,
  bytes,
  saved_bytes,
  keys,
  addresses,
}: UsageCounts): (string | number)[] {
  return [first_downloads, repeats, refused, formatBytes(bytes), formatBytes(saved_bytes), keys, addresses];
}

function noteOf({ updated }: UsageReport): string {
  return updated === null
    ? ""
    : `\nCounted up to ${formatTime(new Date(updated))}, without samples. SAVED is what patches saved.\n`;
}
