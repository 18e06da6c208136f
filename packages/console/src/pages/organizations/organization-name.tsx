import { queryOptions, useQuery } from "@tanstack/react-query";
import { organizationsApi } from "./api.ts";

/** The server returns at most this many names at once. */
const BATCH_SIZE = 100;

/** The name of an organization. */
export function OrganizationName({ id }: { id: string }) {
  return <>{useOrganizationName(id)}</>;
}

/** The name of an organization, or its id until the name is known. */
export function useOrganizationName(id: string | undefined): string {
  const { data } = useQuery({ ...organizationNameQuery(id ?? ""), enabled: id !== undefined });
  return data ?? id ?? "";
}

function organizationNameQuery(id: string) {
  return queryOptions({ queryKey: ["organizations", "name", id], queryFn: () => loadName(id), staleTime: 5 * 60_000 });
}

/** The next batch, until it is sent. */
let batch: { ids: Set<string>; names: Promise<Map<string, string>> } | undefined;

/** Names that are asked for at the same time, such as those of all rows in view, are loaded together. */
async function loadName(id: string): Promise<string> {
  if (!batch || batch.ids.size >= BATCH_SIZE) batch = newBatch();
  batch.ids.add(id);
  return (await batch.names).get(id) ?? id;
}

function newBatch(): NonNullable<typeof batch> {
  const ids = new Set<string>();
  const names = new Promise((resolve) => setTimeout(resolve)).then(async () => {
    if (batch?.ids === ids) batch = undefined;
    const url = organizationsApi.list.url({ ids: [...ids].join(","), limit: BATCH_SIZE });
    const { items } = await organizationsApi.list.load(url);
    return new Map(items.map((organization) => [organization.id, organization.name]));
  });
  return { ids, names };
}
