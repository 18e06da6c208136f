import { isUuid } from "../../platform/primitives/ids.ts";
import { organizationIdOf } from "../access/find-organization.ts";
import { requireKey } from "../keys/keys.ts";
import type { Tables } from "../store.ts";
import type { AttemptFilter } from "./store.ts";

export type AttemptQuery = Pick<AttemptFilter, "outcome" | "api" | "sample" | "since" | "until"> & {
  /** The id or the exact name. */
  org?: string | undefined;
  /** The id or a prefix; for a v1 key, its id. */
  key?: string | undefined;
  database?: string | undefined;
  /** The id of the request, from `X-Request-Id`. */
  request?: string | undefined;
};

/** Looks up what operators filter the history by. */
export async function attemptFilter(
  tables: Tables,
  { org, key, database, request, outcome, api, sample, since, until }: AttemptQuery,
): Promise<Omit<AttemptFilter, "limit">> {
  const organizationId = await organizationIdOf(tables, org);
  const keyId = key === undefined ? undefined : await keyIdOf(tables, key);
  return {
    id: request?.trim().toLowerCase(),
    organizationId,
    keyId,
    datasetId: database,
    outcome,
    api,
    sample,
    since,
    until,
  };
}

async function keyIdOf(tables: Tables, key: string): Promise<string> {
  const legacy = isUuid(key) ? await tables.legacyKeys.byId(key.toLowerCase()) : undefined;
  return legacy?.id ?? (await requireKey(tables, key)).id;
}
