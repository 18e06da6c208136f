import type { Scope } from "@dbdepot/contract/shared/scopes";
import type { SecretHash } from "./secret.ts";

/** The part of a key that decides what it may do. */
export interface KeyAccess {
  id: string;
  /** Null for an operator key. */
  organizationId: string | null;
  readonly scopes: readonly Scope[];
  /** The networks it may be used from. Empty: from anywhere. */
  readonly cidrs: readonly string[];
  expires: Date | null;
  revoked: Date | null;
}

/** One secret, as authentication needs it: with its key's access, and the time when the secret itself stops working. */
export interface Credential extends KeyAccess {
  hash: SecretHash;
  secretExpires: Date | null;
}
