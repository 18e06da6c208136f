import { join } from "node:path";
import { inTime } from "@dbdepot/terminal/amounts";
import { settingOptions } from "./config/options.ts";
import type { Settings } from "./config/settings.ts";
import type { Wanted } from "./config/wanted.ts";
import { EXIT } from "./exit-codes.ts";
import { findingLines } from "./finding.ts";
import { placeOf } from "./sync/context.ts";
import { lookAt } from "./sync/disk-file.ts";
import { readStatus, type Status, statusPath } from "./sync/status.ts";
import { command } from "./workplace.ts";

export const healthCommands = [
  command({
    words: "health",
    summary: "For probes: whether every file is there and known to be the newest.",
    arguments: [],
    options: settingOptions("directory", "max_age", "status_file"),
    notes: [
      "It asks nobody: it reads the status file that sync writes. Exit codes: 0 fresh, 1 not. A failure in between does no harm until the last good check is too old.",
    ],
    async run(workplace, _, { directory, "max-age": maxAge, "status-file": statusFile }) {
      const settings = workplace.settings({ directory, max_age: maxAge, status_file: statusFile });
      const status = await readStatus(statusPath(settings), settings.url);
      const names = expectedFiles(settings, status);
      const findings = await Promise.all(names.map((name) => judge(name, status, settings)));
      const isWell = findings.length > 0 && findings.every(({ verdict }) => verdict === "ok");
      const none = `nothing was fetched yet (${statusPath(settings)})\n`;
      return {
        json: {
          ok: isWell,
          max_age_seconds: settings.maxAgeMs / 1000,
          files: findings.map(({ name, verdict, detail, checked }) => ({
            file: name,
            ok: verdict === "ok",
            detail,
            checked,
          })),
          failures: status.failures,
        },
        text: findings.length === 0 ? none : findingLines(findings, workplace),
        exitCode: isWell ? EXIT.fine : EXIT.failed,
      };
    },
  }),
];

/** By file name; an id stands for a database of which no file was ever fetched. */
function expectedFiles({ databases, formats }: Settings, { files }: Status): string[] {
  if (databases.length === 0) return Object.keys(files);
  return databases.flatMap((wanted) => {
    const named = wanted.formats ?? formats;
    return named ? named.map((format) => placeOf(wanted, format).file) : fetchedOf(wanted, files);
  });
}

function fetchedOf({ id }: Wanted, files: Status["files"]): string[] {
  const fetched = Object.entries(files).filter(([, known]) => known.database === id && known.is_preferred);
  return fetched.length > 0 ? fetched.map(([name]) => name) : [id];
}

async function judge(name: string, { files, failures }: Status, { directory, maxAgeMs }: Settings) {
  const known = files[name];
  const failure = failures[name] ?? (known && failures[known.database]);
  const because = failure ? `; ${failure.message}` : "";
  const checked = known?.checked ?? null;
  const bad = (detail: string) => ({ name, verdict: "FAIL" as const, detail: detail + because, checked });
  if (!known) return bad("was never fetched");
  const found = await lookAt(join(directory, name));
  if (!found) return bad("is not there any more");
  if (found.sizeBytes !== known.size_bytes) return bad("is not the file that was fetched");
  const ageMs = Date.now() - Date.parse(known.checked);
  const told = `the last good check was ${inTime(ageMs / 1000)} ago`;
  return ageMs <= maxAgeMs ? { name, verdict: "ok" as const, detail: told + because, checked } : bad(told);
}
