import type { BuildList, OperatorBuild, RollBackRequest, WithdrawRequest } from "@dbdepot/contract/operator/builds";
import type {
  AddFamilyRequest,
  AddVersionRequest,
  FamilyList,
  ListedVersion,
  OperatorFamily,
  OperatorVersion,
  UpdateFamilyRequest,
  UpdateVersionRequest,
  VersionList,
} from "@dbdepot/contract/operator/catalogue";
import type { FileKind } from "@dbdepot/contract/shared/formats";
import type { DatabaseChanges } from "@dbdepot/contract/v2/changes";
import { queryOptions } from "@tanstack/react-query";
import { get, getPage, query, send } from "../../app/api.ts";

/** The endpoints of the catalogue, except those to publish a build, which are in build-uploads.ts. */
export const catalogueApi = {
  families: () => get<FamilyList>("/api/operator/families"),
  addFamily: (body: AddFamilyRequest) => send<OperatorFamily>("POST", "/api/operator/families", body),
  updateFamily: (base: string, body: UpdateFamilyRequest) =>
    send<OperatorFamily>("PATCH", `/api/operator/families/${base}`, body),
  versions: () => get<VersionList>("/api/operator/versions"),
  addVersion: (body: AddVersionRequest) => send<OperatorVersion>("POST", "/api/operator/versions", body),
  updateVersion: (id: string, body: UpdateVersionRequest) =>
    send<OperatorVersion>("PATCH", `/api/operator/versions/${id}`, body),
  rollBack: (version: string, body: RollBackRequest) =>
    send<OperatorBuild>("POST", `/api/operator/versions/${version}/rollback`, body),
  buildChanges: (id: string) => get<DatabaseChanges>(`/api/operator/builds/${id}/changes`),
  buildFileUrl: (id: string, kind: FileKind) => `/api/operator/builds/${id}/files/${kind}`,
  withdrawBuild: (id: string, body: WithdrawRequest) =>
    send<OperatorBuild>("POST", `/api/operator/builds/${id}/withdraw`, body),
  discardBuild: (id: string) => send<OperatorBuild>("POST", `/api/operator/builds/${id}/discard`),
};

export const familiesQuery = queryOptions({
  queryKey: ["families"],
  queryFn: async () => (await catalogueApi.families()).families,
});

export interface CatalogueEntry {
  family: OperatorFamily;
  /** Oldest first. */
  versions: ListedVersion[];
}

/** The whole catalogue. Everything below it, such as builds, has a key that starts with the same word. */
export const catalogueQuery = queryOptions({
  queryKey: ["catalogue"],
  queryFn: async (): Promise<CatalogueEntry[]> => {
    const [{ families }, { versions }] = await Promise.all([catalogueApi.families(), catalogueApi.versions()]);
    const versionsOf = Map.groupBy(versions, ({ base }) => base);
    return families.map((family) => ({ family, versions: versionsOf.get(family.base) ?? [] }));
  },
});

export function buildsQuery(versionId: string) {
  return queryOptions({
    queryKey: ["catalogue", "builds", versionId],
    queryFn: async () => {
      const { body, next } = await getPage<BuildList>(`/api/operator/builds?${query({ version: versionId })}`);
      return { builds: body.builds, hasMore: next !== undefined };
    },
  });
}
