import type { Command } from "@dbdepot/terminal/command";
import type { Run } from "./context.ts";

export function addMigrateCommand(program: Command, run: Run): void {
  program
    .command("migrate")
    .description("Upgrade the database schema; safe to run on several machines at once")
    .action(
      run(async ({ rawStore }) => {
        const store = await rawStore();
        const applied = await store.migrate();
        const newer = await store.newerMigrations();
        return { json: { applied, newer }, text: textOf(applied, newer) };
      }),
    );
}

function textOf(applied: readonly string[], newer: readonly string[]): string {
  if (applied.length > 0) return applied.map((name) => `applied ${name}\n`).join("");
  if (newer.length === 0) return "The schema is up to date.\n";
  return `There is nothing to do: a newer version has applied ${newer.join(", ")}, and this version can still run.\n`;
}
