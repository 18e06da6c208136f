import type { ApiKey, CreatedKey, UpdateKeyRequest } from "@dbdepot/contract/iam/keys";
import type { OperatorKey, OperatorUpdateKeyRequest } from "@dbdepot/contract/operator/keys";
import { requireTime } from "../../platform/primitives/dates.ts";
import type { Key } from "./key.ts";
import type { IssuedKey, KeyChanges } from "./keys.ts";

export function keyToWire(key: Key): OperatorKey {
  return {
    id: key.id,
    organization_id: key.organizationId,
    name: key.name,
    key_prefix: key.prefix,
    allowed_scopes: key.scopes,
    allowed_cidrs: key.cidrs,
    expires: key.expires?.toISOString() ?? null,
    created: key.created.toISOString(),
    last_used: key.lastUsed?.toISOString() ?? null,
    revoked: key.revoked?.toISOString() ?? null,
  };
}

/** A key as its organization sees it. */
export function keyToCustomerWire(key: Key): ApiKey {
  const { organization_id: _, ...shown } = keyToWire(key);
  return shown;
}

/** The only response that contains the secret. */
export function issuedKeyToWire({ key, plain }: IssuedKey): CreatedKey {
  return {
    rc: "SUCCESS",
    id: key.id,
    name: key.name,
    key: plain.reveal(),
    key_prefix: key.prefix,
    allowed_cidrs: key.cidrs,
    allowed_scopes: key.scopes,
  };
}

/** Fields that the request omits are not changed. */
export function keyChangesFromWire(request: UpdateKeyRequest | OperatorUpdateKeyRequest): KeyChanges {
  const { name, allowed_scopes: scopes, allowed_cidrs: cidrs } = request;
  const expires = requireTime("expires", request.expires);
  return {
    ...(name !== undefined && { name }),
    ...(scopes && { scopes }),
    ...(cidrs && { cidrs }),
    ...(expires !== undefined && { expires }),
  };
}
