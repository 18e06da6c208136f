import type { BuildSignature, ChainEntry } from "./manifest.ts";
import type { PrivateKey, SigningKey } from "./signing-key.ts";

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

/** Reads the private halves of signing keys. Only processes that publish, roll back or withdraw need them. */
export interface PrivateKeys {
  /** Fails if the key does not exist or cannot be read. The message says what to do. */
  read(keyId: string): Promise<PrivateKey>;
  /** All keys that can be read. */
  list(): Promise<PrivateKey[]>;
  write(key: PrivateKey): Promise<void>;
}
