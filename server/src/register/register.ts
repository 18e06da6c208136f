import type { Build } from "../builds/build.ts";
import type { BuildStore } from "../builds/store.ts";
import type { Family } from "../catalogue/family.ts";
import type { Version } from "../catalogue/version.ts";
import type { Offer } from "../downloads/decide.ts";
import type { Caller } from "../keys/authenticate.ts";
import type { LegacyKey } from "../keys/legacy-key.ts";
import type { SecretHash } from "../keys/secret.ts";
import type { KeyStore, KeyUses, KnownKey, LegacyKeyStore } from "../keys/store.ts";
import type { Licence } from "../licences/licence.ts";
import { KnownKeys } from "./known-keys.ts";
import { LicenceTable } from "./licence-table.ts";
import { LookUps, oneByOne } from "./look-ups.ts";
import type { Changes, RegisterSource } from "./source.ts";
import { Texts } from "./texts.ts";

const LEGACY_KEYS_IN_MEMORY = 50_000;
const PINNED_BUILDS_IN_MEMORY = 1000;

/** A family with all its versions, oldest first. */
export interface FamilyEntry {
  family: Family;
  versions: Version[];
}

/** An offer, and where its family stands in the table of licences. */
export interface KnownOffer extends Offer {
  familyNumber: number;
}

export interface RegisterStore extends RegisterSource {
  keys: Pick<KeyStore, "bySecrets">;
  legacyKeys: Pick<LegacyKeyStore, "byHash">;
  builds: Pick<BuildStore, "byId">;
}

/**
 * What a download is decided from, in memory: the catalogue with its current builds, the
 * licences, and the keys, which come last. Legacy keys and pinned builds are looked up once
 * and remembered. `refresh` brings it up to date with what changed since.
 */
export class Register {
  readonly #store: RegisterStore;
  readonly #entries = new Map<string, FamilyEntry>();
  readonly #versions = new Map<string, Version>();
  readonly #currentBuilds = new Map<string, Build>();
  /** Those that were asked for since the last change: with thousands of versions, one look into a map instead of three. */
  readonly #offers = new Map<string, KnownOffer>();
  readonly #organizations = new Texts();
  readonly #licences = new LicenceTable(this.#organizations);
  readonly #keys: KnownKeys;
  readonly #legacyKeys: LookUps<SecretHash, LegacyKey>;
  readonly #pinnedBuilds: LookUps<string, Build>;
  #sorted: FamilyEntry[] = [];
  #revision = 0;
  #refreshing: Promise<void> | undefined;

  constructor(store: RegisterStore) {
    this.#store = store;
    this.#keys = new KnownKeys(store, () => this.refresh(), this.#organizations);
    this.#legacyKeys = new LookUps(
      oneByOne((hash) => store.legacyKeys.byHash(hash)),
      LEGACY_KEYS_IN_MEMORY,
    );
    this.#pinnedBuilds = new LookUps(
      oneByOne((id) => store.builds.byId(id)),
      PINNED_BUILDS_IN_MEMORY,
    );
  }

  /** The change that it is up to date with. */
  get revision(): number {
    return this.#revision;
  }

  /** In order of `base`. */
  get families(): readonly FamilyEntry[] {
    return this.#sorted;
  }

  offer(databaseId: string): KnownOffer | undefined {
    const known = this.#offers.get(databaseId);
    if (known) return known;
    const version = this.#versions.get(databaseId);
    const entry = version && this.#entries.get(version.base);
    if (!entry) return undefined;
    const { family } = entry;
    const familyNumber = this.#licences.familyNumber(family.base);
    const offer = { family, version, build: this.#currentBuilds.get(version.id), familyNumber };
    this.#offers.set(databaseId, offer);
    return offer;
  }

  /** A build of that version that is published and still kept, though perhaps no longer the current one. */
  async pinnedBuild(databaseId: string, buildId: string): Promise<Build | undefined> {
    const build = await this.#pinnedBuilds.get(buildId);
    return build?.versionId === databaseId && build.state === "published" ? build : undefined;
  }

  licences(organizationId: string, base: string): readonly Licence[] {
    return this.#licences.get(organizationId, base);
  }

  /** The caller's licences for what is offered. Whoever has kept the family's number spares a look at the offer. */
  licencesFor(
    { key, place }: Pick<Caller, "key" | "place">,
    offer: KnownOffer,
    familyNumber = offer.familyNumber,
  ): readonly Licence[] {
    if (place === undefined) return this.licences(key.organizationId ?? "", offer.family.base);
    return this.#licences.at(place.organizationNumber, familyNumber);
  }

  /** When the next of the organization's licences begins or ends, in milliseconds: until then its standing stays. */
  nextTurn(organizationId: string, now: Date): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { family } of this.#sorted) {
      for (const { starts, expires } of this.licences(organizationId, family.base)) {
        for (const turn of [starts, expires]) if (turn && turn > now) next = Math.min(next, turn.getTime());
      }
    }
    return next;
  }

  /** A key that is in memory, which needs no look-up. */
  knownKey(hash: SecretHash): KnownKey | undefined {
    return this.#keys.known(hash);
  }

  /** A key that is missing then has to be a new one, or nobody's. */
  get hasAllKeys(): boolean {
    return this.#keys.isWhole;
  }

  /** Takes in some more of all keys there are. Not at revision 0: what changes since does not tell of keys. */
  async takeInKeys(): Promise<boolean> {
    if (this.#revision === 0) return false;
    await this.#keys.takeInPortion();
    return true;
  }

  key(hash: SecretHash): KnownKey | undefined | Promise<KnownKey | undefined> {
    return this.#keys.get(hash);
  }

  /** At most so many of the keys that were used since they were last taken here, with their last use. */
  takeUses(limit: number): KeyUses {
    return this.#keys.takeUses(limit);
  }

  legacyKey(hash: SecretHash): LegacyKey | undefined | Promise<LegacyKey | undefined> {
    return this.#legacyKeys.get(hash);
  }

  /** Takes in what changed, if anything. Calls that come while one is under way share the next. */
  async refresh(): Promise<void> {
    const underWay = this.#refreshing;
    if (underWay) await underWay.catch(() => {});
    this.#refreshing ??= this.#takeIn().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #takeIn(): Promise<void> {
    if (this.#revision > 0 && (await this.#store.revision()) === this.#revision) return;
    // Without a catalogue nobody sees a licence, so at first each goes to its place at once: held back, 200,000 of them
    // made a start take 2.2 s instead of 1.8.
    const licences: Licence[] = [];
    const held = { reserve: () => {}, put: (licence: Licence) => void licences.push(licence) };
    const changes = await this.#store.changesSince(this.#revision, this.#revision === 0 ? this.#licences : held);
    this.#apply(changes, licences);
  }

  /** In one go: no request sees half of a change. */
  #apply(changes: Changes, licences: readonly Licence[]): void {
    this.#offers.clear();
    for (const family of changes.families) {
      const versions = this.#entries.get(family.base)?.versions ?? [];
      this.#entries.set(family.base, { family, versions });
    }
    const builds = new Map(changes.currentBuilds.map((build) => [build.id, build]));
    for (const version of changes.versions) this.#putVersion(version, builds);
    for (const licence of licences) this.#licences.put(licence);
    if (this.#revision === 0) this.#forgetAll();
    this.#keys.put(changes.secrets);
    this.#legacyKeys.forget(changes.legacyHashes);
    this.#pinnedBuilds.forget(changes.buildIds);
    this.#sorted = [...this.#entries.values()].sort((one, other) => (one.family.base < other.family.base ? -1 : 1));
    this.#revision = changes.revision;
  }

  /** Changes since 0 are everything there is, and so do not say what of it was looked up while the database was new. */
  #forgetAll(): void {
    this.#keys.forgetLookUps();
    this.#legacyKeys.forgetAll();
    this.#pinnedBuilds.forgetAll();
  }

  #putVersion(version: Version, builds: ReadonlyMap<string, Build>): void {
    this.#versions.set(version.id, version);
    const entry = this.#entries.get(version.base);
    if (entry) {
      entry.versions = [...entry.versions.filter(({ id }) => id !== version.id), version];
      entry.versions.sort((one, other) => one.number - other.number);
    }
    const build = version.currentBuildId === null ? undefined : builds.get(version.currentBuildId);
    if (build) this.#currentBuilds.set(version.id, build);
    else this.#currentBuilds.delete(version.id);
  }
}
