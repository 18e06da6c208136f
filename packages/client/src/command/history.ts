import { type Command, examples, InvalidArgumentError, Option } from "@dbdepot/terminal/command";
import { parseDuration } from "@dbdepot/terminal/duration";
import { formatBytes } from "@dbdepot/terminal/format";
import { integer } from "@dbdepot/terminal/values";
import type { Download } from "../api/wire.gen.ts";
import type { Run } from "./context.ts";

const LIMIT_MAX = 100_000;
const OUTCOME_COLUMN = 1;
const OUTCOMES = ["ok", "unauthorized", "denied", "expired", "unknown", "unavailable", "refused"] as const;

export function addHistoryCommand(program: Command, run: Run): void {
  program
    .command("history")
    .description("Show your organization's download attempts, newest first, including refused ones")
    .option("--limit <n>", "maximum number of attempts", integer(1, LIMIT_MAX), 50)
    .option("--since <time>", "only attempts at or after this time: a date, or an age like 7d", pastTime)
    .option("--until <time>", "only attempts before this time: a date, or an age like 1h", pastTime)
    .option("--database <id>", "only attempts to download this database, like vpn_ip_v1")
    .addOption(new Option("--outcome <outcome>", "only attempts with this outcome").choices(OUTCOMES))
    .option("--sample", "only attempts to download samples")
    .option("--tables", "queries of tables with Delta Sharing, instead of downloads")
    .addHelpText(
      "after",
      examples(
        "dbdepot history --since 24h --outcome refused",
        "dbdepot history --database vpn_ip_v1 --limit 200 --json",
      ),
    )
    .action(
      run(async ({ output, client, signals }, filters) => {
        const { colours } = output;
        const attempts: Download[] = [];
        for await (const attempt of client().downloads({ ...filters, signal: signals.stop })) attempts.push(attempt);
        return {
          json: attempts,
          text: output.table(
            ["TIME", "OUTCOME", "DATABASE", "FORMAT", "SIZE", "SAMPLE", "PATCH", "FROM", "KEY", "USER AGENT"],
            attempts.map((attempt) => [
              new Date(attempt.created),
              attempt.outcome,
              attempt.dataset_id,
              attempt.format,
              attempt.bytes === null ? null : formatBytes(attempt.bytes),
              attempt.sample ? "yes" : null,
              attempt.patch ? "yes" : null,
              attempt.client_ip,
              attempt.apikey_id,
              attempt.user_agent,
            ]),
            "No attempts found.",
            (text, column) =>
              column === OUTCOME_COLUMN ? (text === "ok" ? colours.green(text) : colours.red(text)) : text,
          ),
        };
      }),
    );
}

/** A duration counts back from now. A date means midnight UTC. */
function pastTime(text: string): Date {
  const durationMs = /[a-z]$/.test(text) ? parseDuration(text) : undefined;
  const time = durationMs === undefined ? new Date(text) : new Date(Date.now() - durationMs);
  const isTime = durationMs !== undefined || /^\d{4}-\d{2}-\d{2}/.test(text);
  if (!isTime || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError("Use a time like 2026-11-01, 2026-11-01T12:00:00Z, 24h or 7d.");
  }
  return time;
}
