import { isWellFormedName } from "@dbdepot/contract/shared/database-id";
import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import { isFormat } from "@dbdepot/contract/shared/formats";
import type { Outcome } from "@dbdepot/contract/v2/downloads";
import type { Build } from "../builds/build.ts";
import type { Offer } from "./decide.ts";

export type LegacyRefusal = "malformed_id" | "no_format" | "not_built" | "not_listed" | "not_published";

/** The code that the caller gets for each refusal, and the outcome in the history, which matches v2's. */
export const LEGACY_REFUSALS: Record<LegacyRefusal, { rc: ErrorCode; outcome: Outcome }> = {
  malformed_id: { rc: "INVALID_ID", outcome: "unknown" },
  no_format: { rc: "INVALID_FORMAT", outcome: "unavailable" },
  not_built: { rc: "INVALID_FORMAT", outcome: "unavailable" },
  not_listed: { rc: "UNAUTHORIZED_ID", outcome: "denied" },
  not_published: { rc: "DB_NOT_FOUND", outcome: "unavailable" },
};

export type LegacyVerdict = { granted: true; build: Build } | { granted: false; refusal: LegacyRefusal };

export interface LegacyQuestion {
  id: string | undefined;
  /** The format as it was sent. */
  format: string | undefined;
  /** False for metadata, which covers every format. */
  needsFormat: boolean;
  /** The ids that the key may fetch. They are the grant: v1 does not consult licences. */
  databaseIds: readonly string[];
  offer: Offer | undefined;
}

/** Decides v1 requests after their key was accepted. The order of the checks decides which refusal a caller sees. */
export function decideLegacy({ id, format, needsFormat, databaseIds, offer }: LegacyQuestion): LegacyVerdict {
  if (id === undefined || !isWellFormedName(id)) return refuse("malformed_id");
  const isListed = databaseIds.includes(id);
  if (needsFormat) {
    if (!isFormat(format)) return refuse("no_format");
    if (offer && isShown(offer, isListed) && !offer.version.formats.includes(format)) return refuse("not_built");
  }
  if (!isListed) return refuse("not_listed");
  if (!offer?.build || isArchived(offer)) return refuse("not_published");
  return { granted: true, build: offer.build };
}

/** Otherwise the response to a format would reveal that a private family's version exists. */
function isShown(offer: Offer, isListed: boolean): boolean {
  return !isArchived(offer) && (isListed || offer.family.visibility === "public");
}

function isArchived({ family, version }: Offer): boolean {
  return family.archived !== null || version.archived !== null;
}

function refuse(refusal: LegacyRefusal): LegacyVerdict {
  return { granted: false, refusal };
}
