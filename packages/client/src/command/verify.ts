import { join } from "node:path";
import type { Command } from "@dbdepot/terminal/command";
import { type Finding, findingLines } from "@dbdepot/terminal/findings";
import { formatTime } from "@dbdepot/terminal/format";
import { type DbdepotClient, fileOf } from "../client.ts";
import { verifyFile } from "../download/verifier.ts";
import { DbdepotError } from "../errors.ts";
import type { Freshness } from "../proof/results.ts";
import type { WantedDatabase } from "./config/databases.ts";
import { settingOption } from "./config/options.ts";
import type { Settings } from "./config/settings.ts";
import type { Run } from "./context.ts";
import { EXIT, exitCodeOfAll } from "./exit-codes.ts";
import { inOneLine } from "./explanation.ts";
import { FORMATS } from "./formats.ts";
import { type TargetFile, targetOf } from "./sync/context.ts";
import { statFile } from "./sync/local-file.ts";
import { selectDatabases } from "./sync/select-databases.ts";
import { type FileStatus, readStatus, statusPath, trustPath } from "./sync/status.ts";

type Verified = Finding & {
  sha256: string | null;
  build_id: string | null;
  /** When the vendor last said which build is the newest one; null if it issues no such statements. */
  current_as_of: string | null;
  error?: unknown;
};

export function addVerifyCommand(program: Command, run: Run): void {
  program
    .command("verify")
    .description("Check the files on disk against their checksums, and that they can be opened")
    .argument("[id...]", "databases, like vpn_ip_v1")
    .addOption(settingOption("directory"))
    .addOption(settingOption("formats"))
    .addOption(settingOption("status_file"))
    .addOption(settingOption("from"))
    .addOption(settingOption("trust"))
    .addOption(settingOption("max_age"))
    .addOption(settingOption("on_stale"))
    .action(
      run(async (context, ids, { directory, formats, statusFile, from, trust, maxAge, onStale }) => {
        const fresh = { max_age: maxAge, on_stale: onStale };
        const settings = context.settings({ directory, formats, status_file: statusFile, from, trust, ...fresh });
        const client = context.client(settings, { trustFile: trustPath(settings), isTrustFileReadOnly: true });
        const { files } = await readStatus(statusPath(settings), settings.from ?? settings.url);
        const targets = await Promise.all(selectDatabases(ids, settings).map((wanted) => targetsOf(wanted, settings)));
        const verified: Verified[] = [];
        // Files are read one after the other, because reading several at once would not be faster.
        for (const target of targets.flat()) verified.push(await verify(client, settings, target, files[target.file]));
        const isHealthy = verified.every(({ verdict }) => verdict === "ok");
        const errors = verified.flatMap(({ error }) => (error === undefined ? [] : [error]));
        return {
          json: {
            ok: isHealthy,
            files: verified.map(({ name, verdict, detail, sha256, build_id, current_as_of }) => ({
              file: name,
              ok: verdict === "ok",
              detail,
              sha256,
              build_id,
              current_as_of,
            })),
          },
          text: findingLines(verified, context.output),
          exitCode: isHealthy ? EXIT.ok : exitCodeOfAll(errors) || EXIT.failed,
        };
      }),
    );
}

/** The configured formats. If there are none, the files that exist, or else the preferred format. */
async function targetsOf(wanted: WantedDatabase, { formats, directory }: Settings): Promise<TargetFile[]> {
  const wantedFormats = wanted.formats ?? formats;
  if (wantedFormats) return wantedFormats.map((format) => targetOf(wanted, format));
  const targets = FORMATS.map((format) => targetOf(wanted, format));
  const found = await Promise.all(targets.map(({ file }) => statFile(join(directory, file))));
  const existing = targets.filter((_, i) => found[i]);
  return existing.length > 0 ? existing : targets.slice(0, 1);
}

async function verify(
  client: DbdepotClient,
  { directory }: Settings,
  target: TargetFile,
  recorded: FileStatus | undefined,
): Promise<Verified> {
  const path = join(directory, target.file);
  const base = { name: target.file, sha256: null, build_id: null, current_as_of: null };
  if (!(await statFile(path))) return { ...base, verdict: "FAIL", detail: `missing (${path})` };
  try {
    const { sha256, faults } = await verifyFile(path, target.format);
    const expected = await expectedDigest(client, target, recorded);
    const result = { ...base, sha256, build_id: expected.buildId };
    if (sha256 !== expected.sha256) {
      return {
        ...result,
        verdict: "FAIL",
        detail: `does not match ${expected.of}: its sha256 is ${sha256}, not ${expected.sha256}`,
      };
    }
    if (faults.length > 0) return { ...result, verdict: "FAIL", detail: faults.join("; ") };
    const freshness = await freshnessOf(client, target.database);
    const detail = `can be opened, and matches ${expected.of}`;
    if (!freshness) return { ...result, verdict: "ok", detail };
    const { issued } = freshness;
    const known = `; the vendor said on ${formatTime(new Date(issued))} which build is the newest one`;
    return { ...result, verdict: "ok", detail: detail + known, current_as_of: issued };
  } catch (error) {
    return { ...base, verdict: "FAIL", detail: inOneLine(error), error };
  }
}

/** Fails if nothing proves which build is the newest one, although the vendor issues such statements. */
async function freshnessOf(client: DbdepotClient, database: string): Promise<Freshness | undefined> {
  const { hasKey } = await client.trustIn(database);
  return hasKey ? (await client.proof(database))?.freshness : undefined;
}

/** The digest of the recorded build, or of the current build if nothing is recorded. */
async function expectedDigest(
  client: DbdepotClient,
  { database, format }: TargetFile,
  recorded: FileStatus | undefined,
) {
  const build = recorded?.build_id ?? undefined;
  try {
    const { hasKey } = await client.trustIn(database);
    const manifest = hasKey ? await client.manifest(database, { build }) : undefined;
    if (manifest) {
      const { sha256, build: buildId } = fileOf(manifest, format);
      return { sha256, buildId, of: `the signed manifest of build ${buildId}` };
    }
    const { checksums, buildId } = await client.checksums(database, format, { build });
    return { sha256: checksums.sha256, buildId, of: build === undefined ? "the current build" : `build ${build}` };
  } catch (error) {
    const isGone = build !== undefined && error instanceof DbdepotError && error.kind === "not_found";
    if (!isGone || !recorded) throw error;
    return { sha256: recorded.sha256, buildId: build, of: `build ${build}, which the service no longer keeps` };
  }
}
