import type { Build } from "../builds/build.ts";
import type { Family } from "../catalogue/family.ts";
import type { Version } from "../catalogue/version.ts";
import type { SecretHash } from "../keys/secret.ts";
import type { KnownKey } from "../keys/store.ts";
import type { Licence } from "../licences/licence.ts";

/** Everything that was written after a revision, as of one moment, but for the licences. */
export interface Changes {
  revision: number;
  families: Family[];
  versions: Version[];
  /** The current builds of `versions`. */
  currentBuilds: Build[];
  /** The ids of all builds that changed, current or not. */
  buildIds: string[];
  /** All secrets of the keys that changed. */
  secrets: KnownSecret[];
  /** Of the legacy keys that changed. */
  legacyHashes: SecretHash[];
}

/** A secret with what the door asks of its key. */
export interface KnownSecret extends KnownKey {
  hash: SecretHash;
}

/** Where licences go as they are read: there may be hundreds of thousands. */
export interface LicenceSink {
  /** Says that so many will come, if it is many. */
  reserve(licences: number): void;
  put(licence: Licence): void;
}

export interface RegisterSource {
  /** The number of the newest change. Cheap: it is asked several times a second. */
  revision(): Promise<number>;
  /** Since 0: everything but the keys, of which there may be a million. */
  changesSince(revision: number, licences: LicenceSink): Promise<Changes>;
  /** How many secrets there are, or nearly. */
  secretCount(): Promise<number>;
  /** The next of all secrets there are, in the order of their keys' ids; the first ones where nothing was read yet. */
  secretsAfter(last: KnownSecret | undefined, limit: number): Promise<KnownSecret[]>;
}
