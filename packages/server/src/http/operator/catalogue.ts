import * as requests from "@dbdepot/contract/operator/catalogue";
import {
  FamilyList,
  OperatorFamily,
  OperatorVersion,
  VersionList,
  VersionsQuery,
} from "@dbdepot/contract/operator/catalogue";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import { listVersions } from "../../domain/builds/listing.ts";
import { addFamily, addVersion, requireFamily, updateFamily, updateVersion } from "../../domain/catalogue/catalogue.ts";
import { familyToWire, versionToWire } from "../../domain/catalogue/wire.ts";
import { endpoint } from "../endpoint.ts";

export const FAMILY_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/families",
    scope: "operator.read",
    summary: "List families",
    query: NoQuery,
    response: FamilyList,
    respond: async ({ services }) => ({ families: (await services.store.families.list()).map(familyToWire) }),
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/families",
    scope: "operator.write",
    summary: "Add a family",
    body: requests.AddFamilyRequest,
    response: OperatorFamily,
    async respond({ operation, body: { base, name, visibility = "public", open = false } }) {
      return familyToWire(await addFamily(operation, { base, name, visibility, open }));
    },
  }),
  endpoint({
    method: "PATCH",
    url: "/api/operator/families/:id",
    scope: "operator.write",
    summary: "Change or archive a family",
    body: requests.UpdateFamilyRequest,
    response: OperatorFamily,
    async respond({ operation, id, body: { name, visibility, archived: isArchived, open } }) {
      return familyToWire(await updateFamily(operation, id, { name, visibility, isArchived, open }));
    },
  }),
];

export const VERSION_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/versions",
    scope: "operator.read",
    summary: "List versions",
    query: VersionsQuery,
    response: VersionList,
    async respond({ services: { store }, query: { base }, now }) {
      if (base !== undefined) await requireFamily(store, base);
      return { versions: await listVersions(store, base, now) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/versions",
    scope: "operator.write",
    summary: "Add a version",
    body: requests.AddVersionRequest,
    response: OperatorVersion,
    respond: async ({ operation, body }) => versionToWire(await addVersion(operation, body)),
  }),
  endpoint({
    method: "PATCH",
    url: "/api/operator/versions/:id",
    scope: "operator.write",
    summary: "Change or archive a version",
    body: requests.UpdateVersionRequest,
    response: OperatorVersion,
    async respond({ operation, id, body: { summary, archived: isArchived, recompress, tables } }) {
      return versionToWire(await updateVersion(operation, id, { summary, isArchived, recompress, tables }));
    },
  }),
];
