import { OperatorUsageLine } from "@dbdepot/contract/operator/usage";
import { USAGE_BY } from "@dbdepot/contract/v2/usage";
import { type Command, examples, Option, UsageError } from "@dbdepot/terminal/command";
import { formatBytes, formatTime } from "@dbdepot/terminal/format";
import { organizationIdOf } from "../domain/access/find-organization.ts";
import { usageFilter } from "../domain/usage/report.ts";
import type { UsageFilter } from "../domain/usage/store.ts";
import type { UsageTotals } from "../domain/usage/usage.ts";
import { usageFacts, usageToOperatorWire } from "../domain/usage/wire.ts";
import { csvLine } from "../http/operator/csv.ts";
import type { Run } from "./context.ts";

/** For a month or a longer period, the report has the largest number on one day. */
const COUNT_HEADINGS = ["NEW BUILDS", "REPEATS", "REFUSED", "BYTES", "SAVED"];
const DAY_HEADINGS = ["KEYS", "ADDRESSES"];
const PERIOD_HEADINGS = ["KEYS/DAY", "ADDRESSES/DAY"];

export function addUsageCommand(program: Command, run: Run): void {
  program
    .command("usage")
    .description("Report what organizations downloaded, for invoices")
    .option("--org <org>", "only this organization (id or exact name)")
    .option("--from <date>", "first day (default: this month; by month: the last twelve months)")
    .option("--to <date>", "the day after the last one, like 2027-02-01 for all of January (default: tomorrow)")
    .addOption(new Option("--by <unit>", "one line per day, month or database").choices(USAGE_BY).default("month"))
    .option("--csv", "print CSV")
    .addHelpText(
      "after",
      examples(
        "dbdepot-server usage --from 2027-01-01 --to 2027-02-01 --csv",
        "dbdepot-server usage --org Acme --by database",
      ),
    )
    .action(
      run(async ({ output, store: openStore, clock }, { org, csv, ...period }) => {
        // "--json" is an option of the program, so "conflicts" would not find it.
        if (csv && output.isJson) throw new UsageError("--csv and --json exclude each other");
        const store = await openStore();
        const filter = usageFilter(period, await organizationIdOf(store, org), clock());
        const progress = await store.usage.progress();
        const { items } = await store.usage.page(filter, {});
        const lines = items.map((row) => usageToOperatorWire(filter, row, progress));
        const facts = await usageFacts(store.usage, filter, progress);
        const json = { usage: lines, ...facts };
        if (csv) return { json, text: csvOf(lines) };
        const totals = await store.usage.totals(filter, undefined);
        const rows = items.map((row, index) => [
          ...(row.period === undefined ? [row.datasetId || "(unknown)", row.format] : [row.period]),
          row.organizationName,
          ...cells(row),
          lines[index]?.closed ? "closed" : "open",
        ]);
        const sum = ["TOTAL", ...(filter.by === "database" ? [""] : []), "", ...cells(totals), ""];
        const table = output.table(headingsOf(filter), rows.length > 0 ? [...rows, sum] : [], "No downloads found.");
        return { json, text: `${table}${noteOf(filter, progress.updated)}` };
      }),
    );
}

function headingsOf({ by }: UsageFilter): string[] {
  const first = by === "database" ? ["DATABASE", "FORMAT"] : [by.toUpperCase()];
  return [...first, "ORGANIZATION", ...COUNT_HEADINGS, ...(by === "day" ? DAY_HEADINGS : PERIOD_HEADINGS), "STATE"];
}

function cells({
  firstDownloads,
  repeats,
  refused,
  bytes,
  savedBytes,
  keys,
  addresses,
}: UsageTotals): (string | number)[] {
  return [firstDownloads, repeats, refused, formatBytes(bytes), formatBytes(savedBytes), keys, addresses];
}

function csvOf(lines: readonly OperatorUsageLine[]): string {
  const columns = Object.keys(OperatorUsageLine.properties) as (keyof OperatorUsageLine)[];
  return [columns, ...lines.map((line) => columns.map((name) => line[name]))]
    .map((row) => csvLine(row).replace(/\r\n$/, "\n"))
    .join("");
}

function noteOf({ by }: UsageFilter, updated: Date | undefined): string {
  if (!updated) return "\nNothing has been counted yet: a running server does it every minute.\n";
  const maximum = by === "day" ? "" : " KEYS and ADDRESSES are the largest number on one day.";
  return `\nCounted up to ${formatTime(updated)}, without samples.${maximum}\n`;
}
