import type { OperatorLegacyKey } from "@dbdepot/contract/operator";
import type { KeysQuery } from "@dbdepot/contract/operator-queries";
import type { CreateLegacyKeyRequest } from "@dbdepot/contract/operator-requests";
import type { CreatedLegacyKey, LegacyKeyList } from "@dbdepot/contract/operator-responses";
import { createLegacyKey, revokeLegacyKey } from "../../keys/legacy-keys.ts";
import { legacyKeyToWire } from "../../keys/wire.ts";
import { byId, pageOf } from "../page.ts";
import { organizationFilter } from "./organizations.ts";
import type { OperatorContext } from "./route.ts";

export async function listLegacyKeys(context: OperatorContext<KeysQuery>): Promise<LegacyKeyList> {
  const { store } = context.services;
  const filter = await organizationFilter(store, context.query.org);
  const page = await pageOf(context, byId, ({ limit, from }) =>
    store.legacyKeys.list({ ...filter, limit, ...(from !== undefined && { before: from }) }),
  );
  return { legacy_keys: page.map(legacyKeyToWire) };
}

/** Creates a v1 key. Only this response carries the UUID. */
export async function postLegacyKey({
  operation,
  body,
}: OperatorContext<unknown, CreateLegacyKeyRequest>): Promise<CreatedLegacyKey> {
  const { name, database_ids: databaseIds, org, uuid: given } = body;
  const { key, uuid } = await createLegacyKey(operation, {
    name,
    databaseIds,
    ...(org !== undefined && { organization: org }),
    ...(given !== undefined && { uuid: given }),
  });
  return { ...legacyKeyToWire(key), key: uuid };
}

export async function postLegacyKeyRevocation({ operation, id }: OperatorContext): Promise<OperatorLegacyKey> {
  return legacyKeyToWire(await revokeLegacyKey(operation, id));
}
