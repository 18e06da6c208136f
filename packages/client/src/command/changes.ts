import { type Command, examples } from "@dbdepot/terminal/command";
import type { Output } from "@dbdepot/terminal/output";
import type { DatabaseChanges, RowChanges } from "../api/wire.gen.ts";
import type { Run } from "./context.ts";
import { suggestingId } from "./suggestion.ts";

/** How many examples of each kind fit on a screen. `--json` has all of them. */
const EXAMPLES = 5;

export function addChangesCommand(program: Command, run: Run): void {
  program
    .command("changes")
    .description("Show which rows a new build has added, removed and changed")
    .argument("<id>", "database, like vpn_ip_v1")
    .option("--from <build>", "older build (default: the one that the newer build replaced)")
    .option("--to <build>", "newer build (default: the current build)")
    .option("--rows", "write all rows that differ to standard output, as CSV with a column op")
    .addHelpText("after", examples("dbdepot changes vpn_ip_v1", "dbdepot changes vpn_ip_v1 --rows > changes.csv"))
    .action(
      run(async ({ output, client: createClient, signals }, id, { from, to, rows }) => {
        const client = createClient();
        const asked = { from, to, signal: signals.stop };
        if (rows) {
          for await (const chunk of client.changedRows(id, asked)) await write(chunk);
          return undefined;
        }
        const result = await client.changes(id, asked).catch(suggestingId(client, id, signals.stop));
        return { json: result, text: report(output, result) };
      }),
    );
}

/** Waits until standard output has taken the bytes, so that a slow reader does not fill the memory. */
function write(chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

function report(output: Output, { from, to, changes, reason }: DatabaseChanges): string {
  const facts = {
    from: from && `${from.build_id} (${from.updated}, ${from.entries} rows)`,
    to: `${to.build_id} (${to.updated}, ${to.entries} rows)`,
  };
  if (!changes) return `${output.details(facts)}Not compared: ${reason}.\n`;
  const { added, removed, changed, unchanged, key, repeated_keys: repeated } = changes;
  return [
    output.details({ ...facts, key: key ?? "none: whole rows were compared", added, removed, changed, unchanged }),
    repeated > 0 && key ? `${repeated} keys occur several times: their rows are added and removed, not changed.\n` : "",
    changedColumns(output, changes),
    exampleTable(output, changes),
  ].join("");
}

function changedColumns(output: Output, { columns }: RowChanges): string {
  const rows = columns.filter(({ changed }) => changed > 0).map(({ name, changed }) => [name, changed]);
  return rows.length === 0 ? "" : `\n${output.table(["COLUMN", "CHANGED"], rows, "")}`;
}

function exampleTable(output: Output, { columns, examples: { added, removed, changed } }: RowChanges): string {
  const names = columns.map(({ name }) => name);
  const rows = [
    ...added.slice(0, EXAMPLES).map((row) => ["added", ...names.map((name) => row[name])]),
    ...removed.slice(0, EXAMPLES).map((row) => ["removed", ...names.map((name) => row[name])]),
    ...changed
      .slice(0, EXAMPLES)
      .map(({ before, after }) => [
        "changed",
        ...names.map((name) => (before[name] === after[name] ? after[name] : `${before[name]} -> ${after[name]}`)),
      ]),
  ];
  return rows.length === 0
    ? ""
    : `\n${output.table(["EXAMPLE", ...names.map((name) => name.toUpperCase())], rows, "")}`;
}
