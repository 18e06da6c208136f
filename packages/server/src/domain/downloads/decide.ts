import { type Format, sampleOf } from "@dbdepot/contract/shared/formats";
import type { Build } from "../builds/build.ts";
import type { Family } from "../catalogue/family.ts";
import type { Version } from "../catalogue/version.ts";
import type { Licence } from "../licences/licence.ts";
import { isVisible, standingOf, termsToAccept } from "../licences/standing.ts";
import type { AcceptedTerms } from "../terms/terms.ts";

export type DownloadRefusal =
  | "unknown_dataset"
  | "not_licensed"
  | "licence_expired"
  | "terms_not_accepted"
  | "not_built"
  | "no_sample"
  | "unknown_build"
  | "not_published";

export type Verdict = { granted: true; build: Build; open: boolean } | { granted: false; refusal: DownloadRefusal };

/** The entry of the catalogue for the requested id. */
export interface Offer {
  family: Family;
  version: Version;
  /** The current build, or the pinned one; undefined if it does not exist. */
  build: Build | undefined;
}

export interface Question {
  /** All licences of the caller's organization for the offer's family. */
  licences: readonly Licence[];
  /** The terms that the organization has accepted. */
  acceptedTerms: AcceptedTerms;
  /** Undefined for metadata, which covers every format. */
  format: Format | undefined;
  /** Whether a sample was requested, which needs no licence. */
  sample: boolean;
  /** Whether a certain build was requested instead of the current one. */
  pinned: boolean;
  now: Date;
}

/**
 * Decides whether an organization may have a build. Download, checksum, metadata and `why` call this after the key
 * was accepted; the list shows the same standing. An open family needs no licence. The order of the checks decides which refusal a caller sees.
 */
export function decide(offer: Offer | undefined, question: Question): Verdict {
  const { licences, acceptedTerms, format, sample, pinned, now } = question;
  if (!offer || offer.version.archived || !isVisible(offer.family, licences)) return refuse("unknown_dataset");
  const { open } = offer.family;
  const { standing } = standingOf(licences, now);
  const needsLicence = !open && !sample;
  if (needsLicence && standing === "unlicensed") return refuse("not_licensed");
  if (needsLicence && standing === "expired") return refuse("licence_expired");
  if (needsLicence && termsToAccept(licences, acceptedTerms, now) !== null) return refuse("terms_not_accepted");
  if (format && !offer.version.formats.includes(format)) return refuse("not_built");
  if (!offer.build) return refuse(pinned ? "unknown_build" : "not_published");
  if (sample && !hasSample(offer.build, format ? [format] : offer.version.formats)) return refuse("no_sample");
  return { granted: true, build: offer.build, open };
}

function hasSample(build: Build, formats: readonly Format[]): boolean {
  return formats.some((format) => build.files[sampleOf(format)]);
}

function refuse(refusal: DownloadRefusal): Verdict {
  return { granted: false, refusal };
}
