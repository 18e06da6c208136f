import type { ApiKey, CreatedKey, CreateKeyRequest, ListedApiKey, RotateKeyRequest } from "@dbdepot/contract/iam/keys";
import type { KeysQuery } from "@dbdepot/contract/operator/keys";
import { allItems, api, type ListSource } from "../../app/api.ts";
import { keysQuery } from "./queries.ts";

/** A key as both its organization and operators see it. */
export type RingKey = ApiKey & Pick<ListedApiKey, "created_by" | "old_secret_until">;

/** The keys of one organization, and what can be done with them. */
export interface Keyring {
  /** Starts with the key of `keysQuery`, which is the prefix of all lists of keys. */
  queryKey: readonly string[];
  source: ListSource<RingKey, KeysQuery>;
  list(): Promise<RingKey[]>;
  create(body: CreateKeyRequest): Promise<CreatedKey>;
  update(id: string, body: CreateKeyRequest): Promise<unknown>;
  rotate(id: string, body: RotateKeyRequest): Promise<CreatedKey>;
  endOverlap(id: string): Promise<unknown>;
  revoke(id: string): Promise<unknown>;
}

/** The keys of an admin's own organization. */
export const ownKeyring: Keyring = {
  queryKey: keysQuery.queryKey,
  source: api.keys,
  list: () => allItems(api.keys, {}),
  create: api.createKey,
  update: api.updateKey,
  rotate: api.rotateKey,
  endOverlap: api.endKeyOverlap,
  revoke: api.revokeKey,
};

/** The keys of any organization, for operators. */
export function keyringOf(organizationId: string): Keyring {
  return {
    queryKey: [...keysQuery.queryKey, organizationId],
    source: { ...api.operatorKeys, url: (filter) => api.operatorKeys.url({ ...filter, org: organizationId }) },
    list: () => allItems(api.operatorKeys, { org: organizationId, limit: 1000 }),
    create: (body) => api.createOperatorKey({ ...body, org: organizationId }),
    update: api.updateOperatorKey,
    rotate: api.rotateOperatorKey,
    endOverlap: api.endOperatorKeyOverlap,
    revoke: api.revokeOperatorKey,
  };
}
