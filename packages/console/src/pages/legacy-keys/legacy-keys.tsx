import { Page } from "../../components/page.tsx";
import { LegacyKeysTable } from "./legacy-keys-table.tsx";

/** Shows operators who still uses v1. */
export function LegacyKeys() {
  return (
    <Page
      title="Legacy keys"
      description="Keys of the v1 API, and when each was last used. Move their users to v2 keys, then revoke them."
    >
      <LegacyKeysTable emptyText="None of your customers has a working key for the v1 API." />
    </Page>
  );
}
