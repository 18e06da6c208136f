import type { CurrentBuild } from "@dbdepot/contract/console/databases";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { ApiError } from "../../app/api-error.ts";

export const databasesQuery = queryOptions({ queryKey: ["databases"], queryFn: api.databases });

/** The current builds by version id. A version whose last build was withdrawn has none. */
export type CurrentBuildMap = ReadonlyMap<string, CurrentBuild>;

export const currentBuildsQuery = queryOptions({
  queryKey: ["current-builds"],
  queryFn: async (): Promise<CurrentBuildMap> => {
    const { builds } = await api.currentBuilds();
    return new Map(builds.map((build) => [build.id, build]));
  },
  staleTime: 60_000,
});

/** Null if the last build was withdrawn. */
export function metadataQuery(id: string) {
  return queryOptions({
    queryKey: ["metadata", id],
    queryFn: async (): Promise<DatabaseMetadata | null> => {
      try {
        return await api.metadata(id);
      } catch (error) {
        if (error instanceof ApiError && error.rc === "NOT_AVAILABLE") return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}
