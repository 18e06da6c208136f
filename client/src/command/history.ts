import { inBytes } from "@dbdepot/terminal/amounts";
import { integerOption } from "@dbdepot/terminal/arguments";
import { table } from "@dbdepot/terminal/table";
import type { Download } from "../wire.ts";
import { command } from "./workplace.ts";

const LIMIT_MAX = 100_000;
const OUTCOME_COLUMN = 1;

export const historyCommands = [
  command({
    words: "history",
    summary: "Show the download attempts of your organization, newest first, refusals included.",
    arguments: [],
    options: { limit: { value: "N", help: "At most so many; left out: 50." } },
    async run(workplace, _, { limit = "50" }) {
      const { colours, outColumns, signals } = workplace;
      const attempts: Download[] = [];
      const options = { limit: integerOption("limit", limit, 1, LIMIT_MAX), signal: signals.stop };
      for await (const attempt of workplace.client().downloads(options)) attempts.push(attempt);
      return {
        json: attempts,
        text: table(
          ["TIME", "OUTCOME", "DATABASE", "FORMAT", "SIZE", "FROM", "KEY", "USER AGENT"],
          attempts.map((attempt) => [
            `${attempt.created.slice(0, 19).replace("T", " ")}Z`,
            attempt.outcome,
            attempt.dataset_id,
            attempt.format,
            attempt.bytes === null ? null : inBytes(attempt.bytes),
            attempt.client_ip,
            attempt.apikey_id,
            attempt.user_agent,
          ]),
          "There were no attempts yet.",
          {
            columns: outColumns,
            paint: (text, column) =>
              column === OUTCOME_COLUMN ? (text === "ok" ? colours.good(text) : colours.bad(text)) : text,
          },
        ),
      };
    },
  }),
];
