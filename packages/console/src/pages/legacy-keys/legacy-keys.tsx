import type { OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import { Group, Switch } from "@mantine/core";
import { IconKeyOff } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { allPages, api } from "../../app/api.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { plural } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { organizationsQuery } from "../organizations/queries.ts";
import { LegacyKeysTable } from "./legacy-keys-table.tsx";

const legacyKeysQuery = queryOptions({
  queryKey: ["legacy-keys"],
  queryFn: (): Promise<OperatorLegacyKey[]> => allPages(api.legacyKeys, ({ legacy_keys }) => legacy_keys),
});

/** Who still uses v1: the most recently used keys first. */
export function LegacyKeys() {
  const keys = useQuery(legacyKeysQuery);
  const organizations = useQuery(organizationsQuery);
  const names = new Map(organizations.data?.map(({ id, name }) => [id, name]));
  const [showsRevoked, setShowsRevoked] = useState(false);
  return (
    <Page
      title="Legacy keys"
      description="Keys of the v1 API, and when each was last used. Move their users to v2 keys, then revoke them."
    >
      <Loaded
        query={keys}
        isEmpty={(all) => all.length === 0}
        empty={
          <EmptyState
            icon={IconKeyOff}
            title="No legacy keys"
            text="None of your customers has a key for the v1 API."
          />
        }
      >
        {(all) => {
          const revoked = all.filter((key) => key.revoked).length;
          const shown = all.filter((key) => showsRevoked || !key.revoked).toSorted(byLastUse);
          return (
            <>
              {revoked > 0 && (
                <Group justify="flex-end">
                  <Switch
                    label={`Show ${plural(revoked, "revoked key")}`}
                    checked={showsRevoked}
                    onChange={({ currentTarget }) => setShowsRevoked(currentTarget.checked)}
                  />
                </Group>
              )}
              {shown.length > 0 ? (
                <LegacyKeysTable keys={shown} organizationNames={names} />
              ) : (
                <EmptyState
                  icon={IconKeyOff}
                  title="All legacy keys are revoked"
                  text="Nobody can use the v1 API any more."
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function byLastUse(a: OperatorLegacyKey, b: OperatorLegacyKey): number {
  return (b.last_used ?? "").localeCompare(a.last_used ?? "");
}
