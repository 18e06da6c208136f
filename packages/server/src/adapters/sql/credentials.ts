import type { Scope } from "@dbdepot/contract/shared/scopes";
import { sql } from "kysely";
import type { Credential } from "../../domain/access/credential.ts";
import type { SecretHash } from "../../domain/access/secret.ts";
import { memoize } from "../../platform/cache/memoize.ts";
import type { Queries } from "./connection.ts";
import { fromTime } from "./values.ts";

const NO_CIDRS: readonly string[] = [];

/** The keys of an archived organization are refused as if they were revoked. */
export function selectCredentials(db: Queries) {
  return db
    .selectFrom("key_secrets")
    .innerJoin("keys", "keys.id", "key_secrets.key_id")
    .leftJoin("organizations", "organizations.id", "keys.organization_id")
    .select(["hash", "key_id", "organization_id", "scopes", "cidrs", "keys.expires"])
    .select("key_secrets.expires as secret_expires")
    .select(sql<string | null>`coalesce(keys.revoked, organizations.archived)`.as("revoked"));
}

type CredentialRow = Awaited<ReturnType<ReturnType<typeof selectCredentials>["execute"]>>[number];

/**
 * This is a class because V8 allocates object literals that it has seen survive directly in its old generation, where
 * they would accumulate as garbage while a million keys are loaded.
 */
class CredentialFromRow implements Credential {
  readonly hash: SecretHash;
  readonly id: string;
  readonly organizationId: string | null;
  readonly scopes: readonly Scope[];
  readonly cidrs: readonly string[];
  readonly expires: Date | null;
  readonly revoked: Date | null;
  readonly secretExpires: Date | null;

  constructor(row: CredentialRow, organizationId: string | null, scopes: readonly Scope[]) {
    this.hash = row.hash;
    this.id = row.key_id;
    this.organizationId = organizationId;
    this.scopes = scopes;
    this.cidrs = row.cidrs === "[]" ? NO_CIDRS : JSON.parse(row.cidrs);
    this.expires = fromTime(row.expires);
    this.revoked = fromTime(row.revoked);
    this.secretExpires = fromTime(row.secret_expires);
  }
}

/** Credentials from one reader share their organization ids and scopes. */
export function credentialReader(): (row: CredentialRow) => Credential {
  const share = memoize((text) => text);
  const parseScopes = memoize((json): readonly Scope[] => JSON.parse(json));
  return (row) => {
    const organizationId = row.organization_id === null ? null : share(row.organization_id);
    return new CredentialFromRow(row, organizationId, parseScopes(row.scopes));
  };
}
