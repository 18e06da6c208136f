import type { OperatorFamily, OperatorVersion } from "@dbdepot/contract/operator";
import type { VersionsQuery } from "@dbdepot/contract/operator-queries";
import type {
  AddFamilyRequest,
  AddVersionRequest,
  UpdateFamilyRequest,
  UpdateVersionRequest,
} from "@dbdepot/contract/operator-requests";
import type { FamilyList, VersionList } from "@dbdepot/contract/operator-responses";
import { addFamily, addVersion, requireFamily, updateFamily, updateVersion } from "../../catalogue/catalogue.ts";
import { familyToWire, versionToWire } from "../../catalogue/wire.ts";
import type { OperatorContext } from "./route.ts";

export async function listFamilies({ services }: OperatorContext): Promise<FamilyList> {
  return { families: (await services.store.families.list()).map(familyToWire) };
}

export async function postFamily({
  operation,
  body,
}: OperatorContext<unknown, AddFamilyRequest>): Promise<OperatorFamily> {
  const { base, name, visibility = "public", open = false } = body;
  return familyToWire(await addFamily(operation, { base, name, visibility, open }));
}

export async function patchFamily({
  operation,
  id,
  body,
}: OperatorContext<unknown, UpdateFamilyRequest>): Promise<OperatorFamily> {
  const { name, visibility, archived: isArchived, open } = body;
  return familyToWire(await updateFamily(operation, id, { name, visibility, isArchived, open }));
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

export async function patchVersion({
  operation,
  id,
  body,
}: OperatorContext<unknown, UpdateVersionRequest>): Promise<OperatorVersion> {
  const { summary, archived: isArchived } = body;
  return versionToWire(await updateVersion(operation, id, { summary, isArchived }));
}
