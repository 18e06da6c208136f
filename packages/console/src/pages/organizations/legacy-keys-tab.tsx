import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Stack } from "@mantine/core";
import { LegacyKeysTable } from "../legacy-keys/legacy-keys-table.tsx";

export function LegacyKeysTab({ organization: { id, name } }: { organization: OperatorOrganization }) {
  return (
    <Stack gap="md">
      <LegacyKeysTable organizationId={id} emptyText={`${name} has no key for the v1 API that works.`} />
    </Stack>
  );
}
