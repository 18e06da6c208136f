import { type Command, note, type Result } from "@dbdepot/terminal/command";
import type { Operation } from "../domain/store.ts";
import type { CommandContext, Run } from "./context.ts";

interface Archivable<T> {
  argument: readonly [name: string, description: string];
  archive: string;
  unarchive: string;
  /** Says that archiving deletes nothing. */
  note: string;
  update(operation: Operation, id: string, change: { isArchived: boolean }): Promise<T>;
  result(output: CommandContext["output"], updated: T): Result;
}

/** Adds the commands `archive` and `unarchive` to those of a noun. */
export function addArchiveCommands<T>(noun: Command, run: Run, archivable: Archivable<T>): void {
  for (const verb of ["archive", "unarchive"] as const) {
    const command = noun
      .command(verb)
      .description(archivable[verb])
      .argument(...archivable.argument)
      .action(
        run(async ({ output, operation }, id) => {
          const change = { isArchived: verb === "archive" };
          return archivable.result(output, await archivable.update(await operation(), id, change));
        }),
      );
    if (verb === "archive") command.addHelpText("after", note(archivable.note));
  }
}
