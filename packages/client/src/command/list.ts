import type { Command } from "@dbdepot/terminal/command";
import { settingOption } from "./config/options.ts";
import type { Run } from "./context.ts";
import { isDownloadable } from "./downloadable.ts";

const STANDING_COLUMN = 1;
/** Short, because the user is waiting for the shell to complete a word. */
const COMPLETION_TIMEOUT_MS = 2000;

export function addListCommand(program: Command, run: Run): void {
  program
    .command("list")
    .description("List every database and whether you are licensed for it")
    .option("--licensed", "only databases that you may download")
    .addOption(settingOption("from"))
    .action(
      run(async ({ output, settings, client, signals }, { licensed, from }) => {
        const all = await client(settings({ from })).list({ signal: signals.stop });
        const families = licensed ? all.filter(isDownloadable) : all;
        const { green, red, dim } = output.colours;
        const paints: Record<string, (text: string) => string> = { licensed: green, expired: red, unlicensed: dim };
        return {
          json: families,
          text: output.table(
            ["ID", "STANDING", "UNTIL", "FORMATS", "SUMMARY"],
            families.flatMap(({ standing, open, expires, versions, terms_to_accept: terms }) =>
              versions.map(({ id, formats, summary }) => [
                id,
                open ? `${standing}, open` : terms ? `${standing}, terms not accepted` : standing,
                expires?.slice(0, 10),
                formats,
                summary,
              ]),
            ),
            licensed ? "You have no licences." : "The catalogue is empty.",
            (text, column) => (column === STANDING_COLUMN ? (paints[text]?.(text) ?? text) : text),
          ),
        };
      }),
    );
}

/** Prints the ids of all databases, for the completion scripts. */
export function addCompletionIdsCommand(program: Command, run: Run): void {
  program.command("completion-ids", { hidden: true }).action(
    run(async ({ client }) => {
      // No completion is better than an error message in the middle of a command line.
      const ids = await client(undefined, { retries: 0 })
        .list({ signal: AbortSignal.timeout(COMPLETION_TIMEOUT_MS) })
        .then((families) => families.flatMap(({ versions }) => versions.map(({ id }) => id)))
        .catch(() => []);
      return { json: ids, text: ids.map((id) => `${id}\n`).join("") };
    }),
  );
}
