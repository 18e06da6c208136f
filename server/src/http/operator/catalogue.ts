import type { OperatorFamily, OperatorVersion } from "@dbdepot/contract/operator";
import type { FamilyList, VersionList } from "@dbdepot/contract/operator-answers";
import type { VersionsQuery } from "@dbdepot/contract/operator-queries";
import type { AddFamilyRequest, AddVersionRequest } from "@dbdepot/contract/operator-requests";
import { addFamily, addVersion, requireFamily } from "../../catalogue/catalogue.ts";
import { familyToWire, versionToWire } from "../../catalogue/wire.ts";
import type { OperatorContext } from "./route.ts";

export async function listFamilies({ services }: OperatorContext): Promise<FamilyList> {
  return { families: (await services.store.families.list()).map(familyToWire) };
}

export async function postFamily({
  operation,
  body,
}: OperatorContext<unknown, AddFamilyRequest>): Promise<OperatorFamily> {
  const { base, name, visibility = "public" } = body;
  return familyToWire(await addFamily(operation, { base, name, visibility }));
}

export async function listVersions({ services, query }: OperatorContext<VersionsQuery>): Promise<VersionList> {
  const { store } = services;
  if (query.base !== undefined) await requireFamily(store, query.base);
  return { versions: (await store.versions.list(query.base)).map(versionToWire) };
}

export async function postVersion({
  operation,
  body,
}: OperatorContext<unknown, AddVersionRequest>): Promise<OperatorVersion> {
  return versionToWire(await addVersion(operation, body));
}
