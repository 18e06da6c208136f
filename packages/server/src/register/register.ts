import type { Format } from "@dbdepot/contract/shared/formats";
import type { Credential } from "../domain/access/credential.ts";
import type { SecretHash } from "../domain/access/secret.ts";
import type { Build } from "../domain/builds/build.ts";
import type { BuildStore } from "../domain/builds/store.ts";
import type { Family } from "../domain/catalogue/family.ts";
import type { Version } from "../domain/catalogue/version.ts";
import type { Offer } from "../domain/downloads/decide.ts";
import type { LegacyKey } from "../domain/legacy-keys/legacy-key.ts";
import type { LegacyKeyStore } from "../domain/legacy-keys/store.ts";
import type { Licence } from "../domain/licences/licence.ts";
import { hasLimits, type Limits } from "../domain/limits/limits.ts";
import type { Freshness, FreshnessKey } from "../domain/manifests/freshness.ts";
import type { ChainEntry } from "../domain/manifests/manifest.ts";
import type { SigningKey } from "../domain/manifests/signing-key.ts";
import type { OfferedPatch } from "../domain/patches/patch.ts";
import type { AcceptedTerms } from "../domain/terms/terms.ts";
import { oneByOne, ReadThroughCache } from "../platform/cache/read-through-cache.ts";
import { within } from "../platform/primitives/within.ts";
import { KeyIndex, type KeySource } from "./keys.ts";
import { LicenceIndex } from "./licence-index.ts";
import type { Changes, RegisterSource } from "./source.ts";

/** Long enough for a slow database, short enough for one that hangs to be noticed. */
const REFRESH_TIMEOUT_MS = 5000;
const LEGACY_KEYS_CACHED = 50_000;
const PINNED_BUILDS_CACHED = 1000;
const NO_TERMS: AcceptedTerms = new Set();

/** A family with all its versions, oldest first. */
export interface FamilyEntry {
  family: Family;
  versions: Version[];
}

export interface RegisterStore extends RegisterSource, KeySource {
  legacyKeys: Pick<LegacyKeyStore, "byHash">;
  builds: Pick<BuildStore, "byId">;
}

/**
 * The in-memory read model that downloads are decided from: the catalogue with its current builds, all licences, all
 * accepted terms and all keys. Legacy keys and pinned builds are cached when they are first used. `refresh` applies what has changed.
 */
export class Register {
  readonly #store: RegisterStore;
  readonly #refreshTimeoutMs: number;
  readonly #entries = new Map<string, FamilyEntry>();
  readonly #versions = new Map<string, Version>();
  readonly #publishedVersionIds = new Set<string>();
  readonly #currentBuilds = new Map<string, Build>();
  readonly #manifests = new Map<string, ChainEntry>();
  readonly #signingKeys = new Map<string, SigningKey>();
  readonly #freshness = new Map<string, Freshness>();
  readonly #freshnessKeys = new Map<string, FreshnessKey>();
  /** The key is the build that is their result, which is current. */
  readonly #patches = new Map<string, OfferedPatch[]>();
  /** Contains only organizations that have any. */
  readonly #limits = new Map<string, Limits>();
  /** Contains only organizations that have one. */
  readonly #linkRegions = new Map<string, string>();
  readonly #licences = new LicenceIndex();
  /** The key is the id of an organization. */
  readonly #acceptedTerms = new Map<string, Set<string>>();
  readonly #keys: KeyIndex;
  readonly #legacyKeys: ReadThroughCache<SecretHash, LegacyKey>;
  readonly #pinnedBuilds: ReadThroughCache<string, Build>;
  #families: readonly FamilyEntry[] = [];
  #revision: number | undefined;
  #refreshing: Promise<void> | undefined;
  readonly #listeners: (() => void)[] = [];

  constructor(store: RegisterStore, refreshTimeoutMs = REFRESH_TIMEOUT_MS) {
    this.#store = store;
    this.#refreshTimeoutMs = refreshTimeoutMs;
    this.#keys = new KeyIndex(store, () => this.refresh());
    this.#legacyKeys = new ReadThroughCache(
      oneByOne((hash) => store.legacyKeys.byHash(hash)),
      LEGACY_KEYS_CACHED,
    );
    this.#pinnedBuilds = new ReadThroughCache(
      oneByOne((id) => store.builds.byId(id)),
      PINNED_BUILDS_CACHED,
    );
  }

  /** The number of the newest change that is included. */
  get revision(): number {
    return this.#revision ?? 0;
  }

  /** Ordered by `base`. */
  get families(): readonly FamilyEntry[] {
    return this.#families;
  }

  family(base: string): Family | undefined {
    return this.#entries.get(base)?.family;
  }

  offer(databaseId: string): Offer | undefined {
    const version = this.#versions.get(databaseId);
    const entry = version && this.#entries.get(version.base);
    return entry && { family: entry.family, version, build: this.#currentBuilds.get(version.id) };
  }

  /** Whether customers see the version in the list: from its first build on, unless it is archived. */
  isListed({ id, archived }: Version): boolean {
    return archived === null && this.#publishedVersionIds.has(id);
  }

  /** A published build of this version that is still kept, current or not. */
  async pinnedBuild(databaseId: string, buildId: string): Promise<Build | undefined> {
    // The current build is in memory, so clients that pin it are served while the database is unreachable.
    const current = this.#currentBuilds.get(databaseId);
    if (current?.id === buildId) return current;
    const build = await this.#pinnedBuilds.get(buildId);
    return build?.versionId === databaseId && build.state === "published" ? build : undefined;
  }

  /** The newest manifest of a version, which is about its current build. */
  manifest(databaseId: string): ChainEntry | undefined {
    return this.#manifests.get(databaseId);
  }

  /** Oldest first. */
  get signingKeys(): SigningKey[] {
    return [...this.#signingKeys.values()].sort((one, other) => one.created.getTime() - other.created.getTime());
  }

  /** The newest statement that a manifest of a version is its newest. */
  freshness(databaseId: string): Freshness | undefined {
    return this.#freshness.get(databaseId);
  }

  /** Oldest first. */
  get freshnessKeys(): FreshnessKey[] {
    return [...this.#freshnessKeys.values()].sort((one, other) => one.created.getTime() - other.created.getTime());
  }

  freshnessKey(keyId: string): FreshnessKey | undefined {
    return this.#freshnessKeys.get(keyId);
  }

  /** The patch that turns the file with this digest into the file of the build, if it is current. */
  patch(buildId: string, format: Format, baseSha256: string): OfferedPatch | undefined {
    return this.patchesTo(buildId).find((patch) => patch.format === format && patch.baseSha256 === baseSha256);
  }

  /** All patches to a build. Empty unless it is current. */
  patchesTo(buildId: string): readonly OfferedPatch[] {
    return this.#patches.get(buildId) ?? [];
  }

  /** All licences of an organization for a family, past and future ones included. */
  licences(organizationId: string, base: string): readonly Licence[] {
    return this.#licences.get(organizationId, base);
  }

  /** Undefined if the organization has no limits. */
  limits(organizationId: string): Limits | undefined {
    return this.#limits.get(organizationId);
  }

  /** Undefined if the organization has no region of its own. */
  linkRegion(organizationId: string): string | undefined {
    return this.#linkRegions.get(organizationId);
  }

  acceptedTerms(organizationId: string): AcceptedTerms {
    return this.#acceptedTerms.get(organizationId) ?? NO_TERMS;
  }

  key(hash: SecretHash): Credential | Promise<Credential | undefined> {
    return this.#keys.get(hash);
  }

  legacyKey(hash: SecretHash): Promise<LegacyKey | undefined> {
    return this.#legacyKeys.get(hash);
  }

  /** The number of entries in memory. */
  counts(): { keys: number; licences: number } {
    return { keys: this.#keys.size, licences: this.#licences.size };
  }

  countLicences(counts: (licence: Licence) => boolean): number {
    return this.#licences.count(counts);
  }

  /** Calls the listener after every change was applied. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get hasAllKeys(): boolean {
    return this.#keys.isComplete;
  }

  /** Loads the next page of keys, until `hasAllKeys`. */
  async loadNextKeys(): Promise<void> {
    // Keys that change while they are being loaded arrive with the changes since the first snapshot.
    if (this.#revision === undefined) await this.refresh();
    await this.#keys.loadNextPage();
  }

  /**
   * Applies what has changed, if anything. A caller sees every change that was made before the call: while a refresh
   * is running, which may have read too early, further callers wait for it and then share the next one. Fails if the
   * database does not respond in time.
   */
  refresh(): Promise<void> {
    // The first refresh loads everything, which may take longer.
    if (this.#revision === undefined) return this.#refreshNext();
    return within(this.#refreshTimeoutMs, this.#refreshNext());
  }

  async #refreshNext(): Promise<void> {
    if (this.#refreshing) await this.#refreshing.catch(() => {});
    this.#refreshing ??= this.#loadChanges().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #loadChanges(): Promise<void> {
    if (this.#revision === undefined) {
      this.#apply(await this.#store.snapshot());
    } else if ((await this.#store.revision()) !== this.#revision) {
      this.#apply(await this.#store.changesSince(this.#revision));
    }
  }

  /** Synchronous, so that no request sees half of a change. */
  #apply(changes: Changes): void {
    for (const family of changes.families) {
      const versions = this.#entries.get(family.base)?.versions ?? [];
      this.#entries.set(family.base, { family, versions });
    }
    const builds = new Map(changes.currentBuilds.map((build) => [build.id, build]));
    for (const version of changes.versions) this.#applyVersion(version, builds);
    for (const id of changes.publishedVersionIds) this.#publishedVersionIds.add(id);
    for (const entry of changes.manifests) this.#manifests.set(entry.versionId, entry);
    for (const key of changes.signingKeys) this.#signingKeys.set(key.keyId, key);
    for (const freshness of changes.freshness) this.#freshness.set(freshness.versionId, freshness);
    for (const key of changes.freshnessKeys) this.#freshnessKeys.set(key.keyId, key);
    for (const patch of changes.patches) this.#addPatch(patch);
    for (const licence of changes.licences) this.#licences.set(licence);
    for (const { id, limits, linkRegion } of changes.organizations) {
      if (hasLimits(limits)) this.#limits.set(id, limits);
      else this.#limits.delete(id);
      if (linkRegion !== null) this.#linkRegions.set(id, linkRegion);
      else this.#linkRegions.delete(id);
    }
    for (const acceptance of changes.acceptances) this.#addAcceptance(acceptance);
    this.#keys.update(changes.credentials);
    this.#legacyKeys.invalidate(changes.legacyHashes);
    this.#pinnedBuilds.invalidate(changes.buildIds);
    this.#families = [...this.#entries.values()].sort((one, other) => (one.family.base < other.family.base ? -1 : 1));
    this.#revision = changes.revision;
    for (const listener of this.#listeners) listener();
  }

  #applyVersion(version: Version, builds: ReadonlyMap<string, Build>): void {
    this.#versions.set(version.id, version);
    const entry = this.#entries.get(version.base);
    if (entry) {
      entry.versions = [...entry.versions.filter(({ id }) => id !== version.id), version];
      entry.versions.sort((one, other) => one.number - other.number);
    }
    const before = this.#currentBuilds.get(version.id);
    if (before && before.id !== version.currentBuildId) this.#patches.delete(before.id);
    const build = version.currentBuildId === null ? undefined : builds.get(version.currentBuildId);
    if (build) this.#currentBuilds.set(version.id, build);
    else this.#currentBuilds.delete(version.id);
  }

  #addAcceptance({ organizationId, termsId }: Changes["acceptances"][number]): void {
    const accepted = this.#acceptedTerms.get(organizationId);
    if (accepted) accepted.add(termsId);
    else this.#acceptedTerms.set(organizationId, new Set([termsId]));
  }

  /** The same patch may be read again, if its version has changed. */
  #addPatch(patch: OfferedPatch): void {
    const others = this.#patches.get(patch.buildId)?.filter(({ id }) => id !== patch.id) ?? [];
    this.#patches.set(patch.buildId, [...others, patch]);
  }
}
