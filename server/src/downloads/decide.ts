import type { Format } from "@dbdepot/contract/formats";
import type { Build } from "../builds/build.ts";
import type { Family } from "../catalogue/family.ts";
import type { Version } from "../catalogue/version.ts";
import { isVisible } from "../catalogue/visibility.ts";
import type { Licence } from "../licences/licence.ts";
import { standingOf } from "../licences/standing.ts";

export type Refusal =
  | "unknown_dataset"
  | "not_licensed"
  | "licence_expired"
  | "not_built"
  | "unknown_build"
  | "not_published";

export type Verdict = { granted: true; build: Build } | { granted: false; refusal: Refusal };

/** What the register knows of the id that was asked for. */
export interface Offer {
  family: Family;
  version: Version;
  /** The current build, or the one that was pinned; undefined when there is none. */
  build: Build | undefined;
}

export interface Question {
  /** All licences of the caller's organization for the offer's family. */
  licences: readonly Licence[];
  /** Undefined for metadata: one document covers every format. */
  format: Format | undefined;
  /** The build that was asked for by its id, if any. */
  pinned: boolean;
  now: Date;
}

/**
 * May this organization have this? The steps after the key's own check, in the order
 * that decides which refusal a caller sees. Download, checksum and metadata all ask here,
 * or its two steps.
 */
export function decide(offer: Offer | undefined, question: Question): Verdict {
  if (!offer) return refuse("unknown_dataset");
  const refusal = refusalWithout(offer, question.licences, question.now);
  return refusal ? refuse(refusal) : decideLicensed(offer, question);
}

/** The refusal of those who have no live licence; undefined for those who have one. */
export function refusalWithout(offer: Offer, licences: readonly Licence[], now: Date): Refusal | undefined {
  const { standing } = standingOf(licences, now);
  if (standing === "licensed") return undefined;
  if (standing === "expired") return "licence_expired";
  return isVisible(offer.family, licences) ? "not_licensed" : "unknown_dataset";
}

/** The same for all who have a live licence. */
export function decideLicensed(offer: Offer, { format, pinned }: Pick<Question, "format" | "pinned">): Verdict {
  if (format && !offer.version.formats.includes(format)) return refuse("not_built");
  if (!offer.build) return refuse(pinned ? "unknown_build" : "not_published");
  return { granted: true, build: offer.build };
}

export function refuse(refusal: Refusal): Verdict {
  return { granted: false, refusal };
}
