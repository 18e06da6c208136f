import type { Credential } from "../domain/access/credential.ts";
import type { SecretHash } from "../domain/access/secret.ts";
import type { Build } from "../domain/builds/build.ts";
import type { Family } from "../domain/catalogue/family.ts";
import type { Version } from "../domain/catalogue/version.ts";
import type { Licence } from "../domain/licences/licence.ts";
import type { Freshness, FreshnessKey } from "../domain/manifests/freshness.ts";
import type { ChainEntry } from "../domain/manifests/manifest.ts";
import type { SigningKey } from "../domain/manifests/signing-key.ts";
import type { Organization } from "../domain/organizations/organization.ts";
import type { OfferedPatch } from "../domain/patches/patch.ts";
import type { Acceptance } from "../domain/terms/terms.ts";

/** All rows that were written after a revision, read from one snapshot. */
export interface Changes {
  revision: number;
  families: Family[];
  versions: Version[];
  /** Ids of the `versions` that have had a build. */
  publishedVersionIds: ReadonlySet<string>;
  /** The current builds of `versions`. */
  currentBuilds: Build[];
  licences: Licence[];
  /** The organizations that changed, or in a snapshot only those with limits or a region. */
  organizations: Pick<Organization, "id" | "limits" | "linkRegion">[];
  /** New acceptances of terms. */
  acceptances: Pick<Acceptance, "organizationId" | "termsId">[];
  /** All secrets of the keys that changed. */
  credentials: Credential[];
  /** The newest manifests of versions that got one. */
  manifests: ChainEntry[];
  signingKeys: SigningKey[];
  /** The newest statements of versions that got one. */
  freshness: Freshness[];
  freshnessKeys: FreshnessKey[];
  /** New patches to current builds, and all patches to the current builds of `versions`. */
  patches: OfferedPatch[];
  /** All builds that changed, current or not. */
  buildIds: string[];
  /** The legacy keys that changed. */
  legacyHashes: SecretHash[];
}

/** The database as the register reads it. */
export interface RegisterSource {
  /** The number of the newest change. The register polls it several times a second. */
  revision(): Promise<number>;
  /** The whole catalogue and all licences, but no credentials: there may be a million of them. */
  snapshot(): Promise<Changes>;
  changesSince(revision: number): Promise<Changes>;
  /** A page of all credentials, ordered by key id. Starts at the beginning if `last` is undefined. */
  credentialsAfter(last: Credential | undefined, limit: number): Promise<Credential[]>;
}

declare module "../domain/store.ts" {
  interface Store extends RegisterSource {}
}
