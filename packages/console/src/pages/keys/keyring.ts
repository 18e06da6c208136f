import type {
  ApiKey,
  ApiKeysQuery,
  CreatedKey,
  CreateKeyRequest,
  ListedApiKey,
  RotateKeyRequest,
} from "@dbdepot/contract/iam/keys";
import type { KeysQuery, ListedKey } from "@dbdepot/contract/operator/keys";
import { queryOptions } from "@tanstack/react-query";
import { allItems, type ListSource, list, send } from "../../app/api.ts";

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

const ownKeys = list<ListedApiKey, ApiKeysQuery>("/api/v1/iam/apikeys", "keys");
const operatorKeys = list<ListedKey, KeysQuery>("/api/operator/keys", "keys");

/** All keys of the person's own organization, newest first. There is rarely more than one page. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: (): Promise<ListedApiKey[]> => allItems(ownKeys, {}),
});

/** The keys of an admin's own organization. */
export const ownKeyring: Keyring = {
  queryKey: keysQuery.queryKey,
  source: ownKeys,
  list: () => allItems(ownKeys, {}),
  create: (body) => send("POST", "/api/v1/iam/apikeys", body),
  ...actionsOf("/api/v1/iam/apikeys"),
};

/** The keys of any organization, for operators. */
export function keyringOf(organizationId: string): Keyring {
  return {
    queryKey: [...keysQuery.queryKey, organizationId],
    source: { ...operatorKeys, url: (filter) => operatorKeys.url({ ...filter, org: organizationId }) },
    list: () => allItems(operatorKeys, { org: organizationId, limit: 1000 }),
    create: (body) => send("POST", "/api/operator/keys", { ...body, org: organizationId }),
    ...actionsOf("/api/operator/keys"),
  };
}

/** Both APIs have the same endpoints for a single key. */
function actionsOf(base: string): Pick<Keyring, "update" | "rotate" | "endOverlap" | "revoke"> {
  return {
    update: (id, body) => send("PATCH", `${base}/${id}`, body),
    rotate: (id, body) => send("POST", `${base}/${id}/rotate`, body),
    endOverlap: (id) => send("POST", `${base}/${id}/end-overlap`, {}),
    revoke: (id) => send("POST", `${base}/${id}/revoke`, {}),
  };
}
