import type { Command } from "@dbdepot/terminal/command";
import type { Run } from "./context.ts";

export function addMigrateCommand(program: Command, run: Run): void {
  program
    .command("migrate")
    .description("Upgrade the database schema; safe to run on several machines at once")
    .action(
      run(async ({ rawStore }) => {
        const applied = await (await rawStore()).migrate();
        return {
          json: { applied },
          text:
            applied.length === 0 ? "The schema is up to date.\n" : applied.map((name) => `applied ${name}\n`).join(""),
        };
      }),
    );
}
