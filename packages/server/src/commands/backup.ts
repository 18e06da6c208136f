import { access, copyFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";
import { type Command, examples, note, type Result } from "@dbdepot/terminal/command";
import { formatTime } from "@dbdepot/terminal/format";
import { record } from "../domain/audit/audit.ts";
import { type Copied, FilesMissing } from "../domain/backup/copy.ts";
import { activateCopy } from "../domain/backup/quiet.ts";
import type { Operation } from "../domain/store.ts";
import { createDirectory } from "../platform/primitives/create-directory.ts";
import { conflict, notFound } from "../platform/primitives/faults.ts";
import { maskSecrets } from "../settings/report.ts";
import type { Settings } from "../settings/settings.ts";
import { type CommandContext, openContext, type Run } from "./context.ts";
import { copiedResult, copyWithProgress, INACTIVE } from "./copy.ts";

export function addBackupCommands(program: Command, run: Run): void {
  program
    .command("backup")
    .description("Back up the database, and optionally all files, while the server is running")
    .argument("<dir>", "directory for the backup, created if missing")
    .option("--objects", "copy the files of all published builds, too")
    .addHelpText("after", examples("dbdepot-server backup /backups/2026-11-17 --objects"))
    .action(run(backUp));

  program
    .command("restore")
    .description("Restore a backup into an empty database and object store")
    .argument("<dir>", "directory of the backup")
    .option("--force", "restore the database even if files are missing or damaged")
    .option("--activate", "send webhooks and e-mail from the start, because the original is gone")
    .addHelpText("after", note("Without --activate, the restored server sends nothing until you activate it."))
    .addHelpText(
      "after",
      examples("dbdepot-server restore /backups/2026-11-17", "dbdepot-server restore /backups/2026-11-17 --activate"),
    )
    .action(run(restore));

  program
    .command("activate")
    .description("Let a restored or copied server send webhooks and e-mail, because the original no longer does")
    .addHelpText("after", examples("dbdepot-server activate"))
    .action(
      run(async ({ operation }) => {
        const copied = await activateCopy(await operation());
        return {
          json: { copied: copied.toISOString() },
          text: `Activated. Webhooks and e-mail are sent from now on, also those that are due since ${formatTime(copied)}.\n`,
        };
      }),
    );
}

async function backUp(
  { settings, output, store, objects, clock, operation }: CommandContext,
  dir: string,
  options: { objects?: boolean | undefined },
): Promise<Result> {
  const backup = layout(dir);
  if (await exists(backup.database)) throw conflict(`${dir} already contains a backup: choose another directory`);
  await createDirectory(backup.directory, 0o700);
  const partial = `${backup.database}.partial`;
  // An interrupted backup may have left one.
  for (const suffix of ["", "-wal", "-shm"]) await rm(partial + suffix, { force: true });
  const copied = await copyInto(settingsFor(settings, partial, backup.objects));
  const checksums = copied.files.map(({ objectKey, sha256 }) => `${sha256}  ${objectKey}\n`);
  const durably = { mode: 0o600, flush: true };
  await writeFile(backup.checksums, checksums.join(""), durably);
  await writeFile(backup.settings, `${JSON.stringify(withoutSecrets(settings), null, 2)}\n`, durably);
  // SQLite does not report it if the last rows stay in its log when the database is closed.
  if (await exists(`${partial}-wal`)) {
    throw conflict(`${partial} is in use by another program, or the disk is full: run the same command again`);
  }
  // Renamed last, because the database marks the backup as complete.
  await rename(partial, backup.database);
  await syncDirectory(backup.directory);
  await recordBackup(await operation(), backup.directory, copied);
  return copiedResult(copied, output, { left: options.objects ? undefined : "use --objects to copy them, too" });

  async function copyInto(target: Settings) {
    await using opened = openContext(target, output);
    const from = { store: await store(), objects: await objects() };
    const to = { store: await opened.store(), objects: options.objects ? await opened.objects() : undefined };
    return await copyWithProgress(from, to, output, { copied: clock() });
  }
}

/** The console's overview shows when the last backup was made. */
async function recordBackup(operation: Operation, directory: string, { files, rows }: Copied): Promise<void> {
  const after = { rows, files: files.length };
  await operation.store.change((tables) =>
    record(tables, operation, { action: "backup.created", subject: directory, after }),
  );
}

async function restore(
  { settings, output, store, objects, clock }: CommandContext,
  dir: string,
  { force = false, activate = false }: { force?: boolean | undefined; activate?: boolean | undefined },
): Promise<Result> {
  const backup = layout(dir);
  if (!(await exists(backup.database))) throw notFound(`${dir} is not a complete backup: it has no backup.sqlite`);
  const target = { store: await store(), objects: await objects() };
  // Opens a copy, because a backup from an earlier version is migrated first and the backup itself may be read-only.
  const temporary = await mkdtemp(join(settings.dataDir, "restore-"));
  try {
    const database = join(temporary, "backup.sqlite");
    await copyFile(backup.database, database);
    await using source = openContext(settingsFor(settings, database, backup.objects), output);
    await (await source.rawStore()).migrate();
    const files = (await exists(backup.objects)) ? await source.objects() : undefined;
    const from = { store: await source.store(), objects: files };
    const onMissing = (problems: string[]) => {
      if (!force)
        throw new FilesMissing(problems, "put them into the object store, or use --force and withdraw their builds");
      for (const problem of problems) output.warn(problem);
    };
    const copied = await copyWithProgress(from, target, output, { copied: activate ? null : clock(), onMissing });
    return copiedResult(copied, output, { state: activate ? "is active" : INACTIVE });
  } finally {
    await rm(temporary, { recursive: true });
  }
}

function layout(dir: string) {
  const directory = resolve(dir);
  return {
    directory,
    database: join(directory, "backup.sqlite"),
    objects: join(directory, "objects"),
    /** Can be checked with `sha256sum --check`. */
    checksums: join(directory, "objects.sha256"),
    settings: join(directory, "settings.json"),
  };
}

/** The database and the files of a backup are opened like those of a server. */
function settingsFor(settings: Settings, path: string, folder: string): Settings {
  return {
    ...settings,
    database: { engine: "sqlite", path },
    objects: { store: "disk", folder },
    // A backup serves no downloads, so it needs no links.
    objectsPublicUrl: "http://localhost",
    sendfile: undefined,
  };
}

/**
 * The variables as given contain all secrets, and URLs, such as those of the mail server and of traces, may contain a
 * password.
 */
function withoutSecrets(all: Settings): object {
  const { given: _given, aws: _aws, mail: _mail, oidc: _oidc, database, ...others } = all;
  const mask = (_: string, value: unknown) => (typeof value === "string" ? maskSecrets(value) : value);
  const settings = JSON.parse(JSON.stringify(others, mask));
  if (database.engine === "sqlite") return { ...settings, database };
  const { username, host, pathname } = new URL(database.url);
  return { ...settings, database: { engine: "postgres", url: `postgres://${username}@${host}${pathname}` } };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
