import type { DbdepotClient } from "../client.ts";
import { DbdepotError } from "../errors.ts";

/** Below this, too many databases begin with what was given. */
const STEM_MIN_LENGTH = 3;

/** The service has no database with this id, but one that was probably meant. */
export class UnknownDatabaseError extends DbdepotError {
  readonly suggestion: string;

  constructor(error: DbdepotError, suggestion: string) {
    const { status, rc, requestId } = error;
    super(error.kind, error.message, { ...(status !== null && { status }), rc, requestId });
    this.suggestion = suggestion;
  }
}

/** Use it in `catch`: rethrows the error, with the id that was probably meant if the service does not know this one. */
export function suggestingId(
  client: DbdepotClient,
  id: string,
  signal: AbortSignal,
): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!(error instanceof DbdepotError) || error.rc !== "UNKNOWN_DATASET") throw error;
    const families = await client.list({ signal }).catch(() => []);
    const suggestion = similarId(families, id);
    throw suggestion === undefined ? error : new UnknownDatabaseError(error, suggestion);
  };
}

/** The newest version of the family that was named, or of the first one whose name begins like it. */
function similarId(
  families: readonly { base: string; versions: readonly { id: string }[] }[],
  id: string,
): string | undefined {
  const stem = id
    .toLowerCase()
    .replaceAll(/\W/g, "_")
    .replace(/_v\d+$/, "");
  if (stem.length < STEM_MIN_LENGTH) return undefined;
  const family = families.find(({ base }) => base === stem) ?? families.find(({ base }) => base.startsWith(stem));
  const numbered = (version: string) => Number(/_v(\d+)$/.exec(version)?.[1] ?? 0);
  return family?.versions.map((version) => version.id).sort((a, b) => numbered(b) - numbered(a))[0];
}
