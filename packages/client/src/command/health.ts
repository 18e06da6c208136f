import { join } from "node:path";
import { type Command, note } from "@dbdepot/terminal/command";
import { findingLines } from "@dbdepot/terminal/findings";
import { formatSeconds, formatTime } from "@dbdepot/terminal/format";
import type { WantedDatabase } from "./config/databases.ts";
import { settingOption } from "./config/options.ts";
import type { Settings } from "./config/settings.ts";
import type { Run } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { targetOf } from "./sync/context.ts";
import { statFile } from "./sync/local-file.ts";
import { selectDatabases } from "./sync/select-databases.ts";
import { readStatus, type Status, statusPath } from "./sync/status.ts";

export function addHealthCommand(program: Command, run: Run): void {
  program
    .command("health")
    .description("Check that every file exists and was recently confirmed as current, for health probes")
    .argument("[id...]", "databases, like vpn_ip_v1")
    .addOption(settingOption("directory"))
    .addOption(settingOption("max_age"))
    .addOption(settingOption("status_file"))
    .addHelpText(
      "after",
      note(
        "Without ids, checks the configured databases, or else everything that sync has tried to download. Reads only the status file that sync writes; makes no requests. Exits with 0 if every file is fresh, else with 1.",
      ),
    )
    .action(
      run(async ({ output, settings: readSettings }, ids, { directory, maxAge, statusFile }) => {
        const flags = { directory, max_age: maxAge, status_file: statusFile };
        const settings = readSettings(flags, { needsKey: false });
        const status = await readStatus(statusPath(settings), settings.from ?? settings.url);
        const databases = ids.length > 0 ? selectDatabases(ids, settings) : settings.databases;
        const names = expectedFiles({ ...settings, databases }, status);
        const findings = await Promise.all(names.map((name) => checkFile(name, status, settings)));
        const isHealthy = findings.length > 0 && findings.every(({ verdict }) => verdict === "ok");
        const none = `Nothing has been downloaded yet: ${statusPath(settings)} has no files. Run "dbdepot sync".\n`;
        return {
          json: {
            ok: isHealthy,
            max_age_seconds: settings.maxAgeMs / 1000,
            files: findings.map(({ name, verdict, detail, checked, currentAsOf, validUntil }) => ({
              file: name,
              ok: verdict === "ok",
              detail,
              checked,
              current_as_of: currentAsOf,
              valid_until: validUntil,
            })),
            failures: status.failures,
          },
          text: findings.length === 0 ? none : findingLines(findings, output),
          exitCode: isHealthy ? EXIT.ok : EXIT.failed,
        };
      }),
    );
}

/** File names, or the id of a database that was never downloaded. */
function expectedFiles({ databases, formats }: Settings, { files, failures }: Status): string[] {
  if (databases.length === 0) return [...Object.keys(files), ...neverDownloaded(files, failures)];
  return databases.flatMap((wanted) => {
    const fixedFormats = wanted.formats ?? formats;
    return fixedFormats ? fixedFormats.map((format) => targetOf(wanted, format).file) : downloadedFiles(wanted, files);
  });
}

/** Files, and databases without any file, whose download has failed and never succeeded. */
function neverDownloaded(files: Status["files"], failures: Status["failures"]): string[] {
  const known = new Set([...Object.keys(files), ...Object.values(files).map(({ database }) => database)]);
  return Object.keys(failures).filter((name) => !known.has(name));
}

function downloadedFiles({ id }: WantedDatabase, files: Status["files"]): string[] {
  const downloaded = Object.entries(files).filter(([, known]) => known.database === id && known.is_preferred);
  return downloaded.length > 0 ? downloaded.map(([name]) => name) : [id];
}

async function checkFile(
  name: string,
  { files, failures }: Status,
  { directory, maxAgeMs, freshnessMaxAgeMs = Number.POSITIVE_INFINITY }: Settings,
) {
  const known = files[name];
  const failure = failures[name] ?? (known && failures[known.database]);
  const because = failure ? `; ${failure.message}` : "";
  const { checked = null, current_as_of: currentAsOf = null, valid_until: validUntil = null } = known ?? {};
  const times = { checked, currentAsOf, validUntil };
  const bad = (detail: string) => ({ name, verdict: "FAIL" as const, detail: detail + because, ...times });
  if (!known) return bad("never downloaded");
  const found = await statFile(join(directory, name));
  if (!found) return bad("missing");
  if (found.sizeBytes !== known.size_bytes) return bad("not the file that was downloaded");
  const ageMs = Date.now() - Date.parse(known.checked);
  const detail = `last successful check ${formatSeconds(ageMs / 1000)} ago`;
  if (ageMs > maxAgeMs) return bad(detail);
  if (currentAsOf === null || validUntil === null) {
    return { name, verdict: "ok" as const, detail: detail + because, ...times };
  }
  const asOf = formatTime(new Date(currentAsOf));
  const isOver = Date.parse(validUntil) <= Date.now() || Date.now() - Date.parse(currentAsOf) > freshnessMaxAgeMs;
  if (isOver) return bad(`nothing is known since ${asOf}, when the vendor last said that this is the newest build`);
  return { name, verdict: "ok" as const, detail: `${detail}, current as of ${asOf}${because}`, ...times };
}
