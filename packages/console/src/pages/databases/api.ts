import type { BuildHistory, CurrentBuild, CurrentBuilds, LookupResult } from "@dbdepot/contract/console/databases";
import type { ClientPackages } from "@dbdepot/contract/shared/client-packages";
import type { Format } from "@dbdepot/contract/shared/formats";
import type { DatabaseList } from "@dbdepot/contract/v2/catalogue";
import type { DatabaseChanges } from "@dbdepot/contract/v2/changes";
import type { DatabaseChecksums } from "@dbdepot/contract/v2/checksums";
import type { SignedFreshness } from "@dbdepot/contract/v2/freshness";
import type { SigningKeys } from "@dbdepot/contract/v2/manifests";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { queryOptions } from "@tanstack/react-query";
import { get, query } from "../../app/api.ts";
import { ApiError } from "../../app/api-error.ts";

export const databasesApi = {
  builds: (id: string) => get<BuildHistory>(`/api/console/databases/${id}`),
  lookup: (id: string, address: string) =>
    get<LookupResult>(`/api/console/databases/${id}/lookup?${query({ address })}`),
  checksums: (id: string, format: Format) =>
    get<DatabaseChecksums>(`/api/v2/database/checksum?${query({ id, format })}`),
  signingKeys: () => get<SigningKeys>("/.well-known/dbdepot-keys.json"),
  /** Null if the vendor issues no statements of freshness. */
  freshness: async (id: string) => {
    try {
      return await get<SignedFreshness>(`/api/v2/database/freshness?${query({ id })}`);
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  },
  downloadUrl: (id: string, format: Format, build?: string) =>
    `/api/v2/database/download?${query({ id, format, build })}`,
  sampleUrl: (id: string, format: Format) => `/api/v2/database/download?${query({ id, format, sample: "true" })}`,
  changes: (id: string, to: string) => get<DatabaseChanges>(`/api/v2/database/changes?${query({ id, to })}`),
  changedRowsUrl: (id: string, from: string | undefined, to: string) =>
    `/api/v2/database/changes?${query({ id, from, to, rows: 1 })}`,
  clientPackages: () => get<ClientPackages>("/download/packages.json"),
  clientDigest: async (file: string) => (await fetch(`/download/${file}.sha256`)).text(),
};

export const databasesQuery = queryOptions({
  queryKey: ["databases"],
  queryFn: () => get<DatabaseList>("/api/v2/database/list"),
});

/** The current builds by version id. A version whose last build was withdrawn has none. */
export type CurrentBuildMap = ReadonlyMap<string, CurrentBuild>;

export const currentBuildsQuery = queryOptions({
  queryKey: ["current-builds"],
  queryFn: async (): Promise<CurrentBuildMap> => {
    const { builds } = await get<CurrentBuilds>("/api/console/databases");
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
        return await get<DatabaseMetadata>(`/api/console/databases/${id}/metadata`);
      } catch (error) {
        if (error instanceof ApiError && error.rc === "NOT_AVAILABLE") return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}
