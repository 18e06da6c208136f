import { hash } from "node:crypto";
import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { Format } from "@dbdepot/contract/shared/formats";
import type { FreshnessText } from "@dbdepot/contract/v2/freshness-proof";
import type { Build } from "../builds/build.ts";
import type { Family } from "../catalogue/family.ts";
import type { Version } from "../catalogue/version.ts";
import { type DownloadRefusal, decide, type Offer } from "../downloads/decide.ts";
import { REFUSALS } from "../downloads/refusals.ts";
import type { Licence } from "../licences/licence.ts";
import type { Freshness, FreshnessKey } from "../manifests/freshness.ts";
import type { ChainEntry } from "../manifests/manifest.ts";
import type { SigningKey } from "../manifests/signing-key.ts";
import type { OfferedPatch } from "../patches/patch.ts";
import type { AcceptedTerms } from "../terms/terms.ts";
import type { DeliveredDatabase, Destination } from "./destination.ts";

/** The register, as far as deliveries are decided by it. */
export interface DeliveryRegister {
  readonly families: readonly { family: Family; versions: readonly Version[] }[];
  readonly signingKeys: readonly SigningKey[];
  offer(databaseId: string): Offer | undefined;
  isListed(version: Version): boolean;
  manifest(databaseId: string): ChainEntry | undefined;
  freshness(databaseId: string): Freshness | undefined;
  freshnessKey(keyId: string): FreshnessKey | undefined;
  patchesTo(buildId: string): readonly OfferedPatch[];
  licences(organizationId: string, base: string): readonly Licence[];
  acceptedTerms(organizationId: string): AcceptedTerms;
  refresh(): Promise<void>;
}

/** A database that a destination should have, as it is now. */
export interface Wanted {
  family: Family;
  version: Version;
  formats: readonly Format[];
  /** Undefined if none is left. */
  build: Build | undefined;
  /** The newest manifest, if it is about this build. Vendors without a signing key have none. */
  manifest: ChainEntry | undefined;
  /** The statement that the manifest is the newest one, if the vendor issues them. */
  freshness: FreshnessText | undefined;
  /** Patches to the build. Only readers that have the manifest can use them. */
  patches: readonly OfferedPatch[];
  /** Why the organization may not download the build. */
  refusal: DownloadRefusal | undefined;
  /** Identifies what to deliver. */
  contents: string;
  /** Identifies the statement and the patches, which change while the build stays the same. */
  additions: string;
}

/** What a person could do something about: without a licence, or a database to see, there is nothing to deliver. */
const REPORTED: readonly DownloadRefusal[] = ["licence_expired", "terms_not_accepted"];

/** The databases that belong into a bucket: those that the organization could download at this moment. */
export function wantedBy(register: DeliveryRegister, destination: Destination, now: Date): Wanted[] {
  const { organizationId, families, formats: chosen } = destination;
  const wanted: Wanted[] = [];
  for (const { family, versions } of register.families) {
    if (families && !families.includes(family.base)) continue;
    const licences = register.licences(organizationId, family.base);
    const acceptedTerms = register.acceptedTerms(organizationId);
    for (const version of versions.filter((each) => register.isListed(each))) {
      const formats = version.formats.filter((format) => !chosen || chosen.includes(format));
      if (formats.length === 0) continue;
      const offer = register.offer(version.id);
      const question = { licences, acceptedTerms, format: undefined, sample: false, pinned: false, now };
      const verdict = decide(offer, question);
      const refusal = verdict.granted || verdict.refusal === "not_published" ? undefined : verdict.refusal;
      if (refusal && !REPORTED.includes(refusal)) continue;
      const build = offer?.build;
      const newest = register.manifest(version.id);
      const manifest = newest && newest.buildId === (build?.id ?? null) ? newest : undefined;
      const contents = `${build?.id ?? "none"} ${manifest?.sequence ?? 0} ${formats.join("+")}`;
      const statement = manifest && register.freshness(version.id);
      const patches =
        build && manifest ? register.patchesTo(build.id).filter(({ format }) => formats.includes(format)) : [];
      const additions = manifest
        ? hash("sha256", [statement?.issued.toISOString(), ...patches.map(({ id }) => id)].join(" "))
        : "";
      const freshness = statement && freshnessText(register, statement);
      wanted.push({ family, version, formats, build, manifest, freshness, patches, refusal, contents, additions });
    }
  }
  return wanted;
}

/** Whether something has to be written to the bucket, or a refusal to be recorded. */
export function isOutdated({ contents, refusal, build }: Wanted, known: DeliveredDatabase | undefined): boolean {
  if (refusal) return known?.refusal?.contents !== contents || known.refusal.rc !== rcOf(refusal);
  // A database without a build is of interest only if there was one.
  return build ? known?.contents !== contents : known !== undefined && known.contents !== contents;
}

/** Whether the statement of freshness or the patches in the bucket have to be renewed, but nothing else. */
export function isUnrenewed({ contents, additions, refusal }: Wanted, known: DeliveredDatabase): boolean {
  return !refusal && known.contents === contents && known.additions !== additions;
}

function freshnessText(
  register: DeliveryRegister,
  { body: statement, signature, keyId }: Freshness,
): FreshnessText | undefined {
  const key = register.freshnessKey(keyId);
  return key && { statement, signature, endorsement: key.endorsement };
}

export function rcOf(refusal: DownloadRefusal): ErrorCode {
  return REFUSALS[refusal].rc;
}
