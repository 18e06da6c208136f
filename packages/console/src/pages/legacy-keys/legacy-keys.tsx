import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { HiddenRowsSwitch } from "../../components/hidden-rows-switch.tsx";
import { Page } from "../../components/page.tsx";
import { organizationsQuery } from "../organizations/queries.ts";
import { LegacyKeysTable } from "./legacy-keys-table.tsx";
import { legacyKeysQuery } from "./queries.ts";

/** Shows operators who still uses v1. */
export function LegacyKeys() {
  const keys = useQuery(legacyKeysQuery());
  const organizations = useQuery(organizationsQuery);
  const names = new Map(organizations.data?.map(({ id, name }) => [id, name]));
  const [showsRevoked, setShowsRevoked] = useState(false);
  const active = keys.data?.filter(({ revoked }) => !revoked);
  const revoked = (keys.data?.length ?? 0) - (active?.length ?? 0);
  return (
    <Page
      title="Legacy keys"
      description="Keys of the v1 API, and when each was last used. Move their users to v2 keys, then revoke them."
    >
      <HiddenRowsSwitch count={revoked} noun="revoked key" checked={showsRevoked} onChange={setShowsRevoked} />
      <LegacyKeysTable
        query={{ ...keys, data: showsRevoked ? keys.data : active }}
        organizationNames={names}
        empty={
          revoked > 0
            ? { title: "All legacy keys are revoked", text: "Nobody can use the v1 API any more." }
            : { title: "No legacy keys", text: "None of your customers has a key for the v1 API." }
        }
      />
    </Page>
  );
}
