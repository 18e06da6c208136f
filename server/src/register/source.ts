import type { Build } from "../builds/build.ts";
import type { Family } from "../catalogue/family.ts";
import type { Version } from "../catalogue/version.ts";
import type { SecretHash } from "../keys/secret.ts";
import type { Licence } from "../licences/licence.ts";

/** Everything that was written after a revision, as of one moment. */
export interface Changes {
  revision: number;
  families: Family[];
  versions: Version[];
  /** The current builds of `versions`. */
  currentBuilds: Build[];
  /** The ids of all builds that changed, current or not. */
  buildIds: string[];
  licences: Licence[];
  /** The secrets of the keys that changed, legacy ones too. */
  secretHashes: SecretHash[];
}

export interface RegisterSource {
  /** The number of the newest change. Cheap: it is asked several times a second. */
  revision(): Promise<number>;
  /** Since 0: everything but the secrets, which nobody knows of yet. */
  changesSince(revision: number): Promise<Changes>;
}
