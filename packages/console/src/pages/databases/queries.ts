import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { queryOptions, useQueries } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { ApiError } from "../../app/api-error.ts";

export const databasesQuery = queryOptions({ queryKey: ["databases"], queryFn: api.databases });

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

/** The current build of the newest version that has one. Undefined while loading, null if no version has a build. */
export function useNewestBuild(
  versions: DatabaseVersion[],
  isDownloadable: boolean,
): DatabaseMetadata | null | undefined {
  const newestFirst = versions.toReversed();
  const results = useQueries({
    queries: newestFirst.map(({ id }) => ({ ...metadataQuery(id), enabled: isDownloadable })),
  });
  if (!isDownloadable) return null;
  for (const { data, isError } of results) {
    if (data !== null && !isError) return data;
  }
  return null;
}
