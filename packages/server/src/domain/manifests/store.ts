import type { Freshness, FreshnessKey } from "./freshness.ts";
import type { BuildSignature, ChainEntry } from "./manifest.ts";
import type { PrivateKey, SignedStatement, SigningKey } from "./signing-key.ts";

export interface ManifestStore {
  append(entry: ChainEntry): Promise<void>;
  /** The newest entry of the version's chain. */
  latest(versionId: string): Promise<ChainEntry | undefined>;
  bySequence(versionId: string, sequence: number): Promise<ChainEntry | undefined>;
  /** The newest entry about this build. */
  byBuild(versionId: string, buildId: string): Promise<ChainEntry | undefined>;
  /** The newest entries about these builds, by build id, without their texts. */
  signaturesOf(versionId: string, buildIds: readonly string[]): Promise<Map<string, BuildSignature>>;
}

export interface SigningKeyStore {
  insert(key: SigningKey): Promise<void>;
  setExpires(keyId: string, expires: Date): Promise<void>;
  /** Oldest first. */
  list(): Promise<SigningKey[]>;
}

export interface FreshnessKeyStore {
  insert(key: FreshnessKey): Promise<void>;
  setReplaced(keyId: string, state: Pick<FreshnessKey, "isRevoked"> & { replaced: Date }): Promise<void>;
  setEndorsement(keyId: string, endorsement: SignedStatement): Promise<void>;
  /** Oldest first. */
  list(): Promise<FreshnessKey[]>;
}

export interface FreshnessStore {
  /** The newest statement about the version. */
  find(versionId: string): Promise<Freshness | undefined>;
  /** Replaces the statement about the version, if there is one. */
  put(freshness: Freshness): Promise<void>;
  /**
   * The newest manifests, of versions that this service signs, that need a new statement: those without one, those whose
   * statement another key signed, and those whose statement has passed half its life.
   */
  due(o: { keyId: string; now: Date; limit: number }): Promise<ChainEntry[]>;
}

/** What a process needs to issue statements of freshness. */
export interface FreshnessRules {
  privateKeys: PrivateKeys;
  /** How long a statement is valid. 0 if this process issues none. */
  lifeMs: number;
}

/** Reads the private halves of signing keys. Only processes that publish, roll back or withdraw need them. */
export interface PrivateKeys {
  /** Fails if the key does not exist or cannot be read. The message says what to do. */
  read(keyId: string): Promise<PrivateKey>;
  /** All keys that can be read. */
  list(): Promise<PrivateKey[]>;
  write(key: PrivateKey): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    manifests: ManifestStore;
    signingKeys: SigningKeyStore;
    freshness: FreshnessStore;
    freshnessKeys: FreshnessKeyStore;
  }
  interface Rules {
    /** Needed by changes of current builds once the service signs them. */
    privateKeys: PrivateKeys;
    freshness: FreshnessRules;
  }
}
