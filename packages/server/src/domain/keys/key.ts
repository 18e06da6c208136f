import type { Scope } from "@dbdepot/contract/shared/scopes";
import type { SecretHash } from "../access/secret.ts";

/** A v2 key. Its secrets are stored separately: a rotation replaces the secret, the key stays. */
export interface Key {
  id: string;
  /** Null for an operator key. */
  organizationId: string | null;
  name: string;
  /** The prefix of the newest secret. */
  prefix: string;
  scopes: Scope[];
  /** The networks it may be used from. Empty: from anywhere. */
  cidrs: string[];
  expires: Date | null;
  created: Date;
  lastUsed: Date | null;
  revoked: Date | null;
}

/** One secret of a key, as it is stored. */
export interface KeySecret {
  hash: SecretHash;
  keyId: string;
  prefix: string;
  created: Date;
  /** Set by a rotation: the old secret works until then. */
  expires: Date | null;
}

/** The key that was created for an `Idempotency-Key`, remembered for a day. */
export interface KeyCreation {
  organizationId: string;
  /** A hash, so that the header's value cannot be read from the database and sent again. */
  idempotencyHash: string;
  keyId: string;
  created: Date;
}
