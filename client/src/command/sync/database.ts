import { join } from "node:path";
import type { WantedDatabase } from "../config/databases.ts";
import { preferredFormat } from "../formats.ts";
import { type Held, placeOf, type Round } from "./context.ts";
import { isIntact } from "./disk-file.ts";
import { confirm, failure, syncFile } from "./file.ts";
import type { Outcome } from "./outcome.ts";

/** Brings the files of one database up to date. It never throws: each database stands alone. */
export async function syncDatabase(round: Round, wanted: WantedDatabase): Promise<Outcome[]> {
  const { client, turns, signal } = round;
  const database = wanted.id;
  try {
    const held = round.isForced ? [] : await heldFiles(round, wanted);
    const etag = commonEtag(held);
    const answer = await turns.take(() => client.metadata(database, { etag, signal }));
    if (!answer.changed) return await Promise.all(held.map((known) => confirm(round, known)));
    const formats = wanted.formats ?? round.settings.formats ?? [preferredFormat(answer.metadata)];
    return await Promise.all(formats.map((format) => syncFile(round, placeOf(wanted, format), answer)));
  } catch (error) {
    return [await failure(round, { database, file: null, format: null }, error)];
  }
}

/** The files that are wanted, if each of them is on disk just as it was written down; else none. */
async function heldFiles({ book, settings }: Round, wanted: WantedDatabase): Promise<Held[]> {
  const { files } = await book.read();
  const formats = wanted.formats ?? settings.formats;
  const expected = formats
    ? formats.map((format) => placeOf(wanted, format))
    : Object.values(files)
        .filter(({ database, is_preferred: isPreferred }) => database === wanted.id && isPreferred)
        .map(({ format }) => placeOf(wanted, format));
  const held: Held[] = [];
  for (const place of expected) {
    const known = files[place.file];
    if (known?.database !== wanted.id || known.format !== place.format) return [];
    if (!(await isIntact(join(settings.directory, place.file), known))) return [];
    held.push({ ...place, known });
  }
  return held;
}

/** One question can be asked for all of them, if all are of the same build. */
function commonEtag(held: readonly Held[]): string | null {
  const [first] = held;
  return first && held.every(({ known }) => known.etag === first.known.etag) ? first.known.etag : null;
}
