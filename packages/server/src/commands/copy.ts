import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import { formatBytes, formatRows } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import type { Task } from "@dbdepot/terminal/progress";
import { type Copied, type CopyOptions, copyDepot, type Depot, FilesMissing, sizeOf } from "../domain/backup/copy.ts";
import { readEnvFile } from "../settings/env-file.ts";
import { parseSettings, unknownSettings } from "../settings/settings.ts";
import { type CommandContext, openContext, type Run } from "./context.ts";
import { interruptible } from "./interruption.ts";

export const INACTIVE = 'sends no webhooks or e-mail until you run "dbdepot-server activate" with its settings';

export function addCopyCommand(program: Command, run: Run): void {
  program
    .command("copy")
    .description("Copy the database and all files to another database and object store")
    .requiredOption("--to <file>", "file with the settings of the new server; its database must be empty")
    .addHelpText(
      "after",
      examples("dbdepot-server copy --to new.env", "dbdepot-server --env-file old.env copy --to new.env"),
    )
    .action(run(copy));
}

async function copy(context: CommandContext, { to }: { to: string }): Promise<Result> {
  const { output } = context;
  const { variables: environment, warnings } = readEnvFile("--to", to);
  for (const warning of warnings) output.warn(warning);
  for (const name of unknownSettings(environment)) output.warn(`${to}: ${name} is not a setting and is ignored`);
  await using target = openContext(parseSettings(environment), output);
  const copied = await copyWithProgress(await depot(context), await depot(target), output, { copied: context.clock() });
  return copiedResult(copied, output, { state: INACTIVE });
}

async function depot({ store, objects }: CommandContext): Promise<Depot> {
  return { store: await store(), objects: await objects() };
}

export function copyWithProgress(
  from: Depot,
  to: Depot,
  output: Output,
  { copied, onMissing = refuseToCopy }: Pick<CopyOptions, "copied"> & Partial<Pick<CopyOptions, "onMissing">>,
): Promise<Copied> {
  const progress = output.progress();
  let task: Task | undefined;
  const onStep: CopyOptions["onStep"] = (what, total) => {
    task?.end();
    task = progress.begin(`copying ${what}`, what === "rows" ? { unit: formatRows } : { total });
    return task.advance;
  };
  return interruptible("run the same command again to continue", (signal) =>
    copyDepot(from, to, { signal, copied, onStep, onMissing }),
  ).finally(() => task?.end());
}

function refuseToCopy(problems: string[]): never {
  throw new FilesMissing(problems, 'withdraw their builds ("dbdepot-server builds withdraw") and try again');
}

interface ResultDetails {
  /** Why no files were copied. */
  left?: string | undefined;
  /** Whether the copy sends anything. */
  state?: string | undefined;
}

export function copiedResult({ files, rows }: Copied, output: Output, { left, state }: ResultDetails = {}): Result {
  const sizeBytes = left === undefined ? sizeOf(files) : 0;
  const found = `${files.length} (${formatBytes(sizeOf(files))})`;
  return {
    json: { rows, files: left === undefined ? files.length : 0, file_bytes: sizeBytes },
    text: output.details({
      rows,
      files: left === undefined ? found : `none of ${found}: ${left}`,
      ...(state !== undefined && { "the copy": state }),
    }),
  };
}
