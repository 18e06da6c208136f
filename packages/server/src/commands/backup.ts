import { access, copyFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";
import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import { FilesMissing } from "../domain/backup/copy.ts";
import { createDirectory } from "../platform/primitives/create-directory.ts";
import { conflict, notFound } from "../platform/primitives/faults.ts";
import { maskSecrets } from "../settings/report.ts";
import type { Settings } from "../settings/settings.ts";
import { type CommandContext, openContext, type Run } from "./context.ts";
import { copiedResult, copyWithProgress } from "./copy.ts";

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
    .addHelpText("after", examples("dbdepot-server restore /backups/2026-11-17"))
    .action(run(restore));
}

async function backUp(
  { settings, output, store, objects }: CommandContext,
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
  return copiedResult(copied, output);

  async function copyInto(target: Settings) {
    await using opened = openContext(target, output);
    const from = { store: await store(), objects: await objects() };
    const to = { store: await opened.store(), objects: options.objects ? await opened.objects() : undefined };
    return await copyWithProgress(from, to, output);
  }
}

async function restore(
  { settings, output, store, objects }: CommandContext,
  dir: string,
  { force = false }: { force?: boolean | undefined },
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
    const copied = await copyWithProgress(from, target, output, (problems) => {
      if (!force)
        throw new FilesMissing(problems, "put them into the object store, or use --force and withdraw their builds");
      for (const problem of problems) output.warn(problem);
    });
    return copiedResult(copied, output);
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
