import { createHash } from "node:crypto";
import { join } from "node:path";
import type { MetadataResult } from "../../api/metadata.ts";
import { DbdepotError, isLicenceRefusal } from "../../errors.ts";
import type { WantedDatabase } from "../config/databases.ts";
import { FORMATS, preferredFormat } from "../formats.ts";
import { suggestingId } from "../suggestion.ts";
import { type IntactFile, type NewBuild, type Round, targetOf } from "./context.ts";
import { confirmCurrent, recordFailure, syncFile } from "./file.ts";
import { isIntact } from "./local-file.ts";
import type { Outcome } from "./outcome.ts";

/** Updates the files of one database. Never throws: a failure must not affect other databases. */
export async function syncDatabase(round: Round, wanted: WantedDatabase): Promise<Outcome[]> {
  const { client, limit, signal } = round;
  const database = wanted.id;
  let intact: IntactFile[] = [];
  try {
    if (!round.isForced) intact = await intactFiles(round, wanted);
    const { hasKey, hasSeen, seenBuildId } = await client.trustIn(database);
    // Files that no verified manifest is about, because they were downloaded earlier or by a sync that was interrupted, are
    // compared with the manifest.
    const isProven = hasSeen && intact.every(({ recorded }) => recorded.build_id === seenBuildId);
    const etag = hasKey && !isProven ? null : commonEtag(intact);
    let latest = await limit(() => client.metadata(database, { etag, signal }));
    round.log(`${database}: ${describe(latest)}`);
    round.refusedIds.delete(database);
    if (!latest.changed) {
      const confirmed = hasKey ? await limit(() => client.confirm(database, { signal })) : { freshness: undefined };
      if (confirmed) {
        return await Promise.all(intact.map((file) => confirmCurrent(round, file, { freshness: confirmed.freshness })));
      }
      // The manifest must be verified again, so nothing that was said about the metadata counts.
      latest = await limit(() => client.metadata(database, { signal }));
      if (!latest.changed) throw new DbdepotError("server", `the service sent no metadata of ${database}`);
    }
    const announced = latest;
    const build = await limit(() => provenBuild(round, database, announced));
    const formats = wanted.formats ?? round.settings.formats ?? [preferredFormat(build.metadata)];
    return await Promise.all(formats.map((format) => syncFile(round, targetOf(wanted, format), build)));
  } catch (error) {
    if (wanted.isFromCatalogue && intact.length === 0 && isUnpublished(error)) {
      round.log(`${database}: no build has been published yet`);
      return [];
    }
    if (isLicenceRefusal(error)) await recordRefusal(round, wanted);
    const explained = await suggestingId(client, database, signal)(error).catch((known: unknown) => known);
    return [await recordFailure(round, { database, file: null, format: null }, explained)];
  }
}

/** The service does not record requests for metadata, so a refused one is recorded here. */
async function recordRefusal(
  { client, settings, signal, isDryRun, refusedIds }: Round,
  { id, formats }: WantedDatabase,
) {
  if (isDryRun || refusedIds.has(id)) return;
  refusedIds.add(id);
  await client.recordRefusal(id, (formats ?? settings.formats)?.[0] ?? FORMATS[0], { signal });
}

/**
 * Adds the signed manifest and compares the metadata with it. If a new build was published between the two requests,
 * the manifest decides which build to download.
 */
async function provenBuild({ client, signal, log }: Round, database: string, latest: NewBuild): Promise<NewBuild> {
  const proof = await client.proof(database, { signal });
  if (!proof) return latest;
  const { manifest, freshness } = proof;
  log(`${database}: manifest ${manifest.sequence} is signed by a trusted key`);
  if (freshness) log(`${database}: current as of ${freshness.issued}, until ${freshness.valid_until}`);
  if (manifest.build_id === null) {
    throw new DbdepotError("not_available", `the vendor has withdrawn the last build of ${database}`);
  }
  const buildId = manifest.build_id;
  const metadata = buildId === latest.buildId ? latest : await client.metadata(database, { build: buildId, signal });
  if (!metadata.changed) throw new DbdepotError("server", `the service sent no metadata of build ${buildId}`);
  if (createHash("sha256").update(metadata.document).digest("hex") !== manifest.metadata?.sha256) {
    throw new DbdepotError(
      "untrusted",
      `the metadata of ${database} is not the signed one; the file was not changed; try again later, and tell your vendor if it stays like this`,
    );
  }
  return { ...metadata, buildId, manifest, freshness };
}

function isUnpublished(error: unknown): boolean {
  return error instanceof DbdepotError && error.kind === "not_available";
}

function describe(latest: MetadataResult): string {
  const build = latest.buildId === null ? "" : ` ${latest.buildId}`;
  return latest.changed ? `the current build${build} is from ${latest.metadata.updated}` : `no new build since${build}`;
}

/** Returns all wanted files if every one of them is intact, else none. */
async function intactFiles({ statusFile, settings }: Round, wanted: WantedDatabase): Promise<IntactFile[]> {
  const { files } = await statusFile.read();
  const formats = wanted.formats ?? settings.formats;
  const targets = formats
    ? formats.map((format) => targetOf(wanted, format))
    : Object.values(files)
        .filter(({ database, is_preferred: isPreferred }) => database === wanted.id && isPreferred)
        .map(({ format }) => targetOf(wanted, format));
  const intact: IntactFile[] = [];
  for (const target of targets) {
    const recorded = files[target.file];
    if (recorded?.database !== wanted.id || recorded.format !== target.format) return [];
    if (!(await isIntact(join(settings.directory, target.file), recorded))) return [];
    intact.push({ ...target, recorded });
  }
  return intact;
}

/** If all files are from the same build, one conditional request covers them. */
function commonEtag(intact: readonly IntactFile[]): string | null {
  const [first] = intact;
  return first && intact.every(({ recorded }) => recorded.etag === first.recorded.etag) ? first.recorded.etag : null;
}
