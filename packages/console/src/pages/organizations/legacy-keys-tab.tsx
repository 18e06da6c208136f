import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { useQuery } from "@tanstack/react-query";
import { LegacyKeysTable } from "../legacy-keys/legacy-keys-table.tsx";
import { legacyKeysQuery } from "../legacy-keys/queries.ts";

export function LegacyKeysTab({ organization: { id, name } }: { organization: OperatorOrganization }) {
  const keys = useQuery(legacyKeysQuery(id));
  return (
    <LegacyKeysTable query={keys} empty={{ title: "No legacy keys", text: `${name} has no key for the v1 API.` }} />
  );
}
