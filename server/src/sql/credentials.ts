import type { Scope } from "@dbdepot/contract/scopes";
import { memoize } from "../cache/memoize.ts";
import type { CredentialEntry } from "../register/source.ts";
import type { Queries } from "./connection.ts";
import { fromTime } from "./time.ts";

const NO_CIDRS: readonly string[] = [];

export function selectCredentials(db: Queries) {
  return db
    .selectFrom("key_secrets")
    .innerJoin("keys", "keys.id", "key_secrets.key_id")
    .select(["hash", "key_id", "organization_id", "scopes", "cidrs", "keys.expires", "revoked"])
    .select("key_secrets.expires as secret_expires");
}

type CredentialRow = Awaited<ReturnType<ReturnType<typeof selectCredentials>["execute"]>>[number];

/** Credentials from one reader share their organization ids and scopes: a register holds a million credentials. */
export function credentialReader(): (row: CredentialRow) => CredentialEntry {
  const share = memoize((text) => text);
  const parseScopes = memoize((json): readonly Scope[] => JSON.parse(json));
  return (row) => [
    row.hash,
    {
      id: row.key_id,
      organizationId: row.organization_id === null ? null : share(row.organization_id),
      scopes: parseScopes(row.scopes),
      cidrs: row.cidrs === "[]" ? NO_CIDRS : JSON.parse(row.cidrs),
      expires: fromTime(row.expires),
      revoked: fromTime(row.revoked),
      secretExpires: fromTime(row.secret_expires),
    },
  ];
}
