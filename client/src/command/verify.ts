import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { Command } from "@dbdepot/terminal/command";
import type { DbdepotClient } from "../client.ts";
import { Verifier } from "../download/verifier.ts";
import { DbdepotError } from "../errors.ts";
import type { WantedDatabase } from "./config/databases.ts";
import { settingOption } from "./config/options.ts";
import type { Settings } from "./config/settings.ts";
import type { Run } from "./context.ts";
import { EXIT, exitCodeOfAll } from "./exit-codes.ts";
import { inOneLine } from "./explanation.ts";
import { type Finding, findingLines } from "./finding.ts";
import { FORMATS } from "./formats.ts";
import { type Place, placeOf } from "./sync/context.ts";
import { lookAt } from "./sync/disk-file.ts";
import { type FileStatus, readStatus, statusPath } from "./sync/status.ts";
import { wantedDatabases } from "./sync/wanted-databases.ts";

type Verified = Finding & { sha256: string | null; build_id: string | null; error?: unknown };

const CHUNK_BYTES = 1024 * 1024;

export function addVerifyCommand(program: Command, run: Run): void {
  program
    .command("verify")
    .description("Check the files on disk against their checksums, and that they can be opened")
    .argument("[id...]", "databases, like vpn_ip_v1")
    .addOption(settingOption("directory"))
    .addOption(settingOption("formats"))
    .addOption(settingOption("status_file"))
    .action(
      run(async (context, ids, { directory, formats, statusFile }) => {
        const settings = context.settings({ directory, formats, status_file: statusFile });
        const client = context.client(settings);
        const { files } = await readStatus(statusPath(settings), settings.url);
        const places = await Promise.all(wantedDatabases(ids, settings).map((wanted) => placesOf(wanted, settings)));
        const verified: Verified[] = [];
        // One after the other: reading two files at once would not be faster.
        for (const place of places.flat()) verified.push(await verify(client, settings, place, files[place.file]));
        const isHealthy = verified.every(({ verdict }) => verdict === "ok");
        const errors = verified.flatMap(({ error }) => (error === undefined ? [] : [error]));
        return {
          json: {
            ok: isHealthy,
            files: verified.map(({ name, verdict, detail, sha256, build_id }) => ({
              file: name,
              ok: verdict === "ok",
              detail,
              sha256,
              build_id,
            })),
          },
          text: findingLines(verified, context.output),
          exitCode: isHealthy ? EXIT.ok : exitCodeOfAll(errors) || EXIT.failed,
        };
      }),
    );
}

/** Without formats: those that are there, and if none is, the one that should be. */
async function placesOf(wanted: WantedDatabase, { formats, directory }: Settings): Promise<Place[]> {
  const named = wanted.formats ?? formats;
  if (named) return named.map((format) => placeOf(wanted, format));
  const places = FORMATS.map((format) => placeOf(wanted, format));
  const found = await Promise.all(places.map(({ file }) => lookAt(join(directory, file))));
  const there = places.filter((_, i) => found[i]);
  return there.length > 0 ? there : places.slice(0, 1);
}

async function verify(
  client: DbdepotClient,
  { directory }: Settings,
  place: Place,
  known: FileStatus | undefined,
): Promise<Verified> {
  const path = join(directory, place.file);
  const base = { name: place.file, sha256: null, build_id: null };
  if (!(await lookAt(path))) return { ...base, verdict: "FAIL", detail: `is not there (${path})` };
  try {
    const { sha256, faults } = await examined(path, place);
    const expected = await expectation(client, place, known);
    const result = { ...base, sha256, build_id: expected.buildId };
    if (sha256 !== expected.sha256) {
      return {
        ...result,
        verdict: "FAIL",
        detail: `is not ${expected.of}: its sha256 is ${sha256}, not ${expected.sha256}`,
      };
    }
    if (faults.length > 0) return { ...result, verdict: "FAIL", detail: faults.join("; ") };
    return { ...result, verdict: "ok", detail: `is ${expected.of}, and opens` };
  } catch (error) {
    return { ...base, verdict: "FAIL", detail: inOneLine(error), error };
  }
}

async function examined(path: string, { format }: Place) {
  const verifier = new Verifier(format);
  for await (const bytes of createReadStream(path, { highWaterMark: CHUNK_BYTES })) await verifier.update(bytes);
  return { sha256: verifier.sha256(), faults: await verifier.faults() };
}

/** The build that was fetched, as the service has it; without a word about it on disk, the current one. */
async function expectation(client: DbdepotClient, { database, format }: Place, known: FileStatus | undefined) {
  const build = known?.build_id ?? undefined;
  try {
    const { checksums, buildId } = await client.checksums(database, format, { build });
    return { sha256: checksums.sha256, buildId, of: build === undefined ? "the current build" : `build ${build}` };
  } catch (error) {
    const isGone = build !== undefined && error instanceof DbdepotError && error.kind === "not_found";
    if (!isGone || !known) throw error;
    return { sha256: known.sha256, buildId: build, of: `build ${build}, which is no longer kept at the service` };
  }
}
