import type { OperatorOrganization } from "@dbdepot/contract/operator";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { LegacyKeysTable } from "../legacy-keys/legacy-keys-table.tsx";

export function LegacyKeysTab({ organization: { id, name } }: { organization: OperatorOrganization }) {
  const keys = useQuery({
    queryKey: ["legacy-keys", id],
    queryFn: async () => (await api.legacyKeysOf(id)).legacy_keys,
  });
  return (
    <LegacyKeysTable query={keys} empty={{ title: "No legacy keys", text: `${name} has no key for the v1 API.` }} />
  );
}
