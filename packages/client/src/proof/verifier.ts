import { createHash } from "node:crypto";
import type { FreshnessText } from "@dbdepot/contract/v2/freshness-proof";
import { parsePublicKey, parseSignature, type SignaturePublicKey, verifyDetached } from "@dbdepot/formats/minisign";
import type { Api } from "../api/api.ts";
import { pause } from "../api/retry.ts";
import type { Manifest, SigningKeys } from "../api/wire.gen.ts";
import { DbdepotError } from "../errors.ts";
import { parseManifest } from "./documents.ts";
import { type Answer, judgeFreshness } from "./freshness.ts";
import type { Freshness, TrustState } from "./results.ts";
import { fetchFreshness, fetchManifest, fetchSigningKeys, type ManifestRequest, type SignedText } from "./source.ts";
import {
  areSameKeys,
  followEndorsements,
  isExpired,
  type SeenManifest,
  type TrustedKey,
  type TrustStore,
  trustedKey,
  trustedKeys,
} from "./trust.ts";

export interface VerifierOptions {
  store: TrustStore;
  /** Public keys that replace all others. */
  given: readonly string[];
  /** Called when a key is trusted that was not given. */
  /** A statement of freshness that is older is not accepted. */
  maxAgeMs?: number | undefined;
  /** Called instead of failing if nothing proves that a manifest is the newest one. */
  onStale?: ((error: DbdepotError) => void) | undefined;
  onTrust?: ((key: { keyId: string; publicKey: string; reason: TrustedKey["reason"] }) => void) | undefined;
}

export interface VerifiedManifest {
  manifest: Manifest;
  /** The signed text, byte for byte. */
  signed: SignedText;
  /** The statement that this is the newest manifest. Undefined for an older build, or if the service issues none. */
  fresh?: { freshness: Freshness; text: FreshnessText } | undefined;
}

/** A manifest that is authentic, with the answer to whether it is the newest one. */
interface Checked {
  manifest: Manifest;
  signed: SignedText;
  sha256: string;
  /** Whether it is about the current build, not about one that was asked for. */
  isCurrent: boolean;
  key: TrustedKey;
  /** The keys to trust from now on, and those that were stored. */
  keys: TrustedKey[];
  stored: TrustedKey[];
  isNewKey: boolean;
  fresh: Answer | undefined;
}

/** More than a new build every hour for a year. */
const CHAIN_MAX_LENGTH = 10_000;
/** How often to ask again if manifest and statement differ, because they have just changed, or come from two replicas. */
const SETTLE_RETRIES = 4;

/** Fetches manifests and accepts only those that a trusted key signed and that continue what was seen before. */
export class ManifestVerifier {
  readonly #api: Api;
  readonly #options: VerifierOptions;
  readonly #given: SignaturePublicKey[];
  #last: Promise<unknown> = Promise.resolve();

  constructor(api: Api, options: VerifierOptions) {
    this.#api = api;
    this.#options = options;
    this.#given = options.given.map(requirePublicKey);
  }

  async trustIn(id: string): Promise<TrustState> {
    const { keys: stored, databases } = await this.#options.store.read();
    const trusted = trustedKeys(this.#given, stored, new Date());
    const isVerified = trusted.some((key) => key.public_key === databases[id]?.public_key);
    const hasSeen = isVerified && areSameKeys(trusted, stored);
    return { hasKey: trusted.length > 0, hasSeen, seenBuildId: databases[id]?.build_id };
  }

  /** Returns undefined if the service does not sign its builds and no key is trusted. */
  verified(id: string, request: Omit<ManifestRequest, "sequence">): Promise<VerifiedManifest | undefined> {
    // Runs one at a time, so that two databases never trust different keys on first use.
    return this.#inTurn(() => this.#verify(id, request));
  }

  /**
   * Asks whether the last manifest that was verified is still the newest one, without fetching it. Undefined if that takes
   * `verified`, which also finds out what is wrong.
   */
  confirmed(id: string, signal: AbortSignal | undefined): Promise<{ freshness: Freshness | undefined } | undefined> {
    return this.#inTurn(async () => {
      const { keys, databases } = await this.#options.store.read();
      const seen = databases[id];
      if (!seen) return undefined;
      const answer = await this.#freshnessOf(id, seen, keys, signal);
      if (answer === "none") return { freshness: undefined };
      if (answer instanceof DbdepotError) return undefined;
      const { freshness, revoked } = answer;
      await this.#options.store.update((trust) => {
        const known = trust.databases[id];
        if (known?.sequence === seen.sequence) known.freshness = freshness;
        if (revoked.length > 0) trust.revoked_freshness_keys = revoked;
      });
      return { freshness };
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** A manifest and a statement that differ have often just changed, so they are fetched again before that counts. */
  async #verify(id: string, request: Omit<ManifestRequest, "sequence">): Promise<VerifiedManifest | undefined> {
    const { retries, delayMs } = this.#api.retryPolicy;
    for (let attempt = 0; ; attempt += 1) {
      const checked = await this.#check(id, request);
      if (!checked) return undefined;
      const { fresh } = checked;
      if (!(fresh instanceof DbdepotError)) return this.#accept(id, checked);
      if (fresh.retryable && attempt < Math.min(retries, SETTLE_RETRIES)) {
        await pause(delayMs * 2 ** attempt, request.signal);
        continue;
      }
      const { onStale } = this.#options;
      if (!onStale || fresh.kind !== "stale") throw fresh;
      onStale(fresh);
      return this.#accept(id, { ...checked, fresh: undefined });
    }
  }

  async #freshnessOf(
    id: string,
    manifest: { sequence: number; sha256: string },
    keys: readonly TrustedKey[],
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const response = await fetchFreshness(this.#api, id, signal);
    const { databases, revoked_freshness_keys: revoked } = await this.#options.store.read();
    const { maxAgeMs } = this.#options;
    return judgeFreshness(response, { id, manifest, seen: databases[id], keys, revoked, now: new Date(), maxAgeMs });
  }

  async #check(id: string, request: Omit<ManifestRequest, "sequence">): Promise<Checked | undefined> {
    const { keys: stored, databases } = await this.#options.store.read();
    const trusted = trustedKeys(this.#given, stored, new Date());
    const signed = await fetchManifest(this.#api, id, request);
    if (!signed) {
      if (trusted.length === 0) return undefined;
      throw untrusted(`${id} has no signature, although its vendor signs builds with key ${idsOf(trusted)}`, TRY_LATER);
    }
    const { manifest, key, keys } = await this.#authentic(id, signed, trusted, request);
    const isCurrent = request.build === undefined;
    if (!isCurrent && manifest.build_id !== request.build) {
      throw untrusted(`the manifest of ${id} is about another build than ${request.build}`, TRY_LATER);
    }
    const seen = databases[id];
    const sha256 = sha256Of(signed.manifest);
    if (isCurrent && seen) await this.#requireContinuation(id, { manifest, sha256 }, seen, request.signal);
    const { sequence } = manifest;
    const fresh = isCurrent ? await this.#freshnessOf(id, { sequence, sha256 }, keys, request.signal) : undefined;
    return { manifest, signed, sha256, isCurrent, key, keys, stored, isNewKey: !trusted.includes(key), fresh };
  }

  /** Called last, so that nothing unverified is remembered. */
  async #accept(id: string, checked: Checked): Promise<VerifiedManifest> {
    const { store, onTrust } = this.#options;
    const { manifest, signed, sha256, isCurrent, key, keys, stored, isNewKey, fresh } = checked;
    const { sequence, build_id } = manifest;
    const proof = typeof fresh === "object" && "freshness" in fresh ? fresh : undefined;
    await store.update((trust) => {
      if (keys !== stored) trust.keys = mergedKeys(trust.keys, stored, keys);
      if (proof && proof.revoked.length > 0) trust.revoked_freshness_keys = proof.revoked;
      const known = trust.databases[id];
      // Another process may have seen a newer one.
      const isNewest = (known?.sequence ?? 0) <= sequence;
      if (!isCurrent || !isNewest) return;
      const freshness = proof?.freshness ?? known?.freshness;
      trust.databases[id] = { sequence, sha256, public_key: key.public_key, build_id, ...(freshness && { freshness }) };
    });
    if (isNewKey) onTrust?.({ keyId: key.key_id, publicKey: key.public_key, reason: key.reason });
    return { manifest, signed, fresh: proof };
  }

  /** Checks the signature, and the key that made it. Returns the keys to trust from now on. */
  async #authentic(
    id: string,
    { manifest: text, signature: signatureText }: SignedText,
    trusted: TrustedKey[],
    { build, signal }: ManifestRequest,
  ): Promise<{ manifest: Manifest; key: TrustedKey; keys: TrustedKey[] }> {
    const signature = parseSignature(signatureText);
    const manifest = parseManifest(text);
    if (!signature || manifest?.id !== id) throw untrusted(`the manifest of ${id} cannot be read`, TRY_LATER);
    const now = new Date();
    const isKnown = trusted.some((key) => key.key_id === signature.keyId);
    const keys = isKnown
      ? trusted
      : withNewKeys(trusted, signature.keyId, await fetchSigningKeys(this.#api, signal), now);
    const key = keys.find((candidate) => candidate.key_id === signature.keyId);
    if (!key) {
      throw untrusted(
        `${id} is signed with key ${signature.keyId}, but ${idsOf(trusted)} is trusted here`,
        "if your vendor has announced this key, pass its public key with --trust",
      );
    }
    if (!verifyDetached(Buffer.from(text), signature, requirePublicKey(key.public_key))) {
      throw untrusted(`the signature of ${id} is wrong: the manifest or the signature was changed`, TRY_LATER);
    }
    if (build === undefined && isExpired(key, now)) {
      throw untrusted(`${id} is signed with key ${key.key_id}, which was replaced and has expired`, TRY_LATER);
    }
    return { manifest, key, keys };
  }

  /** Follows the digests from the new manifest back to the one that was seen before. */
  async #requireContinuation(
    id: string,
    { manifest, sha256 }: { manifest: Manifest; sha256: string },
    seen: SeenManifest,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { sequence } = manifest;
    if (sequence < seen.sequence) {
      throw untrusted(
        `${id} was rolled back: manifest ${sequence} is older than ${seen.sequence}, seen before`,
        TRY_LATER,
      );
    }
    if (sequence - seen.sequence > CHAIN_MAX_LENGTH) {
      throw untrusted(`${id} has too many manifests since number ${seen.sequence}`, ASK_VENDOR);
    }
    let digest = sha256;
    let previous = manifest.previous;
    for (let position = sequence; position > seen.sequence; position -= 1) {
      digest = previous ?? "";
      if (position - 1 === seen.sequence) break;
      const signed = await fetchManifest(this.#api, id, { sequence: position - 1, signal });
      const earlier = signed && sha256Of(signed.manifest) === digest ? parseManifest(signed.manifest) : undefined;
      if (!earlier)
        throw untrusted(`the history of ${id} has a gap: manifest ${position - 1} is missing or changed`, ASK_VENDOR);
      previous = earlier.previous;
    }
    if (digest !== seen.sha256) {
      throw untrusted(
        `the history of ${id} was replaced: manifest ${seen.sequence} is not the one seen before`,
        ASK_VENDOR,
      );
    }
  }
}

/** Adds the key that signed: the first one that is seen, or one that a trusted key endorses. */
function withNewKeys(
  trusted: readonly TrustedKey[],
  keyId: string,
  published: SigningKeys["keys"],
  now: Date,
): TrustedKey[] {
  if (trusted.length > 0) return followEndorsements(trusted, published, now);
  const first = published.map(({ public_key: text }) => parsePublicKey(text)).find((key) => key?.keyId === keyId);
  return first ? [trustedKey(first, "first use", now)] : [];
}

/** Fails if another process has trusted a different key in the meantime. */
function mergedKeys(current: TrustedKey[], read: TrustedKey[], wanted: TrustedKey[]): TrustedKey[] {
  const texts = (keys: TrustedKey[]) => keys.map((key) => key.public_key).join();
  if (texts(current) === texts(read) || texts(current) === texts(wanted)) return wanted;
  throw untrusted("another process has just changed the trusted keys", "run the command again");
}

const TRY_LATER = "the file was not changed; try again later, and tell your vendor if it stays like this";
const ASK_VENDOR = "the file was not changed; ask your vendor what happened";

function untrusted(problem: string, advice: string): DbdepotError {
  return new DbdepotError("untrusted", `${problem}; ${advice}`);
}

export function requirePublicKey(text: string): SignaturePublicKey {
  const key = parsePublicKey(text.trim());
  if (!key) throw new DbdepotError("bad_request", "not a minisign public key: it has 56 characters and begins with RW");
  return key;
}

function idsOf(keys: readonly TrustedKey[]): string {
  return keys.map((key) => key.key_id).join(" or ") || "no key";
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
