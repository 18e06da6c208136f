import type { Scope } from "@dbdepot/contract/scopes";
import type { SecretHash } from "./secret.ts";

/** A v2 credential. Its secrets are kept apart: rotation changes them, the key stays. */
export interface Key {
  id: string;
  /** Null: a key of the operator's, or one that belongs to nobody. */
  organizationId: string | null;
  name: string;
  /** Of the newest secret. */
  prefix: string;
  scopes: Scope[];
  /** Empty: from anywhere. */
  cidrs: string[];
  expires: Date | null;
  created: Date;
  lastUsed: Date | null;
  revoked: Date | null;
}

/** What the door asks of a key: whose it is, and all that can refuse it. */
export interface DoorKey extends Pick<Key, "id" | "organizationId" | "expires"> {
  scopes: readonly Scope[];
  cidrs: readonly string[];
  /** When it was, or only whether. */
  revoked: Date | boolean | null;
}

/** One secret of a key, as it is stored. */
export interface KeySecret {
  hash: SecretHash;
  keyId: string;
  prefix: string;
  created: Date;
  /** Set when the key was rotated: until then the old secret works on. */
  expires: Date | null;
}

/** What an `Idempotency-Key` has led to, remembered for a day. */
export interface KeyCreation {
  organizationId: string;
  /** Of the header's value: whoever reads the database cannot send it again. */
  idempotencyHash: string;
  keyId: string;
  created: Date;
}
