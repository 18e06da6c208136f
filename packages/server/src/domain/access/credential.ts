import type { Scope } from "@dbdepot/contract/scopes";
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

/** What authentication needs to know about one secret: its key's access, and when the secret itself stops working. */
export interface Credential extends KeyAccess {
  hash: SecretHash;
  secretExpires: Date | null;
}
