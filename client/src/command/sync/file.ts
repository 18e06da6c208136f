import { join } from "node:path";
import { DbdepotError } from "../../errors.ts";
import { inOneLine } from "../explanation.ts";
import { preferredFormat } from "../formats.ts";
import type { Held, News, Place, Round } from "./context.ts";
import { isIntact, lookAt, sha256Of } from "./disk-file.ts";
import { dropOlder, keepOld } from "./old-copies.ts";
import { nameOf, type Outcome } from "./outcome.ts";
import type { FileStatus } from "./status.ts";

/** Brings one file up to date. It never throws either. */
export async function syncFile(round: Round, place: Place, news: News): Promise<Outcome> {
  try {
    const known = await current(round, place, news);
    return known ? await confirm(round, { ...place, known }, news) : await fetchFile(round, place, news);
  } catch (error) {
    return await failure(round, place, error);
  }
}

/** What is written down about the file, if that is the build in question and the file is still it. */
async function current({ book, settings, isForced, turns, client, signal }: Round, place: Place, news: News) {
  const path = join(settings.directory, place.file);
  const known = (await book.read()).files[place.file];
  if (isForced || known?.database !== place.database || !(await isIntact(path, known))) return undefined;
  if (news.buildId !== null) return known.build_id === news.buildId ? known : undefined;
  // A service that does not name its builds: the digest tells.
  const { checksums } = await turns.take(() => client.checksums(place.database, place.format, { signal }));
  return checksums.sha256 === known.sha256 ? known : undefined;
}

/** The service says that this is the newest. */
export async function confirm({ book, settings }: Round, { known, ...place }: Held, news?: News): Promise<Outcome> {
  const modifiedMs = (await lookAt(join(settings.directory, place.file)))?.modifiedMs ?? known.modified_ms;
  const checked = new Date().toISOString();
  const now: FileStatus = { ...known, modified_ms: modifiedMs, checked, ...(news && { etag: news.etag }) };
  await book.change((status) => {
    status.files[place.file] = now;
    forgive(status.failures, place);
  });
  const { build_id, updated, size_bytes } = now;
  return { ...place, result: "unchanged", build_id, updated, size_bytes };
}

async function fetchFile(round: Round, place: Place, news: News): Promise<Outcome> {
  const { settings, book, turns, progress } = round;
  const path = join(settings.directory, place.file);
  const { sizeBytes, sha256, buildId, receivedBytes } = await turns.take(async () => {
    const there = round.isForced ? undefined : await alreadyThere(round, place, news);
    if (there) return there;
    const task = progress.begin(place.file);
    try {
      return await replaced(round, place, news, path, task.update);
    } finally {
      task.end();
    }
  });
  const now = new Date().toISOString();
  const status: FileStatus = {
    database: place.database,
    format: place.format,
    build_id: buildId,
    // Another build than the one that was told of: the next round has to ask anew.
    etag: buildId === news.buildId ? news.etag : null,
    is_preferred: place.format === preferredFormat(news.metadata),
    updated: buildId === news.buildId ? news.metadata.updated : null,
    sha256,
    size_bytes: sizeBytes,
    modified_ms: (await lookAt(path))?.modifiedMs ?? 0,
    fetched: now,
    checked: now,
  };
  await book.change(({ files, failures, hook_pending: pending }) => {
    files[place.file] = status;
    forgive(failures, place);
    if (settings.hook !== undefined && !pending.includes(place.file)) pending.push(place.file);
  });
  const { build_id, updated, size_bytes } = status;
  return { ...place, result: "changed", build_id, updated, size_bytes, received_bytes: receivedBytes };
}

/**
 * The very file, but not written down: fetched by other means, or by a sync that was ended before it could do so. It
 * counts as changed, so that the hook runs.
 */
async function alreadyThere({ client, settings, signal }: Round, { database, format, file }: Place, news: News) {
  const path = join(settings.directory, file);
  const found = await lookAt(path);
  const sizeBytes = news.metadata.size?.[format];
  if (!found || (sizeBytes !== undefined && found.sizeBytes !== sizeBytes)) return undefined;
  const build = news.buildId ?? undefined;
  const { checksums, buildId } = await client.checksums(database, format, { build, signal });
  if ((await sha256Of(path)) !== checksums.sha256) return undefined;
  return { sizeBytes: found.sizeBytes, sha256: checksums.sha256, buildId: buildId ?? news.buildId, receivedBytes: 0 };
}

async function replaced(
  { client, settings, book, signal }: Round,
  { database, format, file }: Place,
  news: News,
  path: string,
  onReach: (done: number, total: number | undefined, skipped: number) => void,
) {
  const day = (await book.read()).files[file]?.updated ?? null;
  const old = settings.keep > 0 ? await keepOld(path, format, day) : undefined;
  const fetched = await client
    .download(database, format, {
      to: path,
      build: news.buildId ?? undefined,
      delivery: settings.delivery,
      signal,
      onProgress: (p) => onReach(p.receivedBytes, p.totalBytes ?? news.metadata.size?.[format], p.resumedFromBytes),
    })
    .catch(async (error: unknown) => {
      await old?.forget();
      throw error;
    });
  const { sizeBytes, sha256, buildId, resumedFromBytes } = fetched;
  // It was fetched again, or another sync was faster: then the old one is the new one, and no old copy.
  const isSame = old && (await lookAt(old.path))?.sizeBytes === sizeBytes && (await sha256Of(old.path)) === sha256;
  if (isSame) await old.forget();
  if (settings.keep > 0) await dropOlder(path, format, settings.keep);
  return { sizeBytes, sha256, buildId, receivedBytes: sizeBytes - resumedFromBytes };
}

export async function failure(
  { book }: Round,
  place: Pick<Outcome, "database" | "file" | "format">,
  error: unknown,
): Promise<Outcome> {
  const kind = error instanceof DbdepotError ? error.kind : "disk";
  const told = { kind, message: inOneLine(error) };
  const note = book.change(({ failures }) => {
    // Whoever stopped it knows.
    if (kind === "aborted") return;
    const since = failures[nameOf(place)]?.since ?? new Date().toISOString();
    failures[nameOf(place)] = { since, ...told };
  });
  // If that fails too it is the same folder, most often: the first error tells what is wrong with it.
  await note.catch(() => {});
  return { ...place, result: "failed", error, ...told };
}

function forgive(failures: Record<string, unknown>, { file, database }: Place): void {
  delete failures[file];
  delete failures[database];
}
