import { type Command, examples } from "@dbdepot/terminal/command";
import { formatBytes } from "@dbdepot/terminal/format";
import { integer } from "@dbdepot/terminal/values";
import type { Download } from "../wire.ts";
import type { Run } from "./context.ts";

const LIMIT_MAX = 100_000;
const OUTCOME_COLUMN = 1;

export function addHistoryCommand(program: Command, run: Run): void {
  program
    .command("history")
    .description("Show your organization's download attempts, newest first, including refused ones")
    .option("--limit <n>", "maximum number of attempts", integer(1, LIMIT_MAX), 50)
    .addHelpText("after", examples("dbdepot history --limit 200 --json"))
    .action(
      run(async ({ output, client, signals }, { limit }) => {
        const { colours } = output;
        const attempts: Download[] = [];
        for await (const attempt of client().downloads({ limit, signal: signals.stop })) attempts.push(attempt);
        return {
          json: attempts,
          text: output.table(
            ["TIME", "OUTCOME", "DATABASE", "FORMAT", "SIZE", "FROM", "KEY", "USER AGENT"],
            attempts.map((attempt) => [
              `${attempt.created.slice(0, 19).replace("T", " ")}Z`,
              attempt.outcome,
              attempt.dataset_id,
              attempt.format,
              attempt.bytes === null ? null : formatBytes(attempt.bytes),
              attempt.client_ip,
              attempt.apikey_id,
              attempt.user_agent,
            ]),
            "No attempts yet.",
            (text, column) =>
              column === OUTCOME_COLUMN ? (text === "ok" ? colours.green(text) : colours.red(text)) : text,
          ),
        };
      }),
    );
}
