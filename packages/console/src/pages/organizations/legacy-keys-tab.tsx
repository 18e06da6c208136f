import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { IconKeyOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LegacyKeysTable } from "../legacy-keys/legacy-keys-table.tsx";

export function LegacyKeysTab({ organization: { id, name } }: { organization: OperatorOrganization }) {
  const keys = useQuery({ queryKey: ["legacy-keys", id], queryFn: () => api.legacyKeysOf(id) });
  return (
    <Loaded
      query={keys}
      isEmpty={({ legacy_keys }) => legacy_keys.length === 0}
      empty={<EmptyState icon={IconKeyOff} title="No legacy keys" text={`${name} has no key for the v1 API.`} />}
    >
      {({ legacy_keys }) => <LegacyKeysTable keys={legacy_keys} />}
    </Loaded>
  );
}
