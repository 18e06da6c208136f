import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Group, Stack } from "@mantine/core";
import { DestinationList } from "../destinations/destination-list.tsx";
import { sourceOf } from "../destinations/destination-source.ts";
import { CreateDestination } from "../destinations/destinations.tsx";

interface DestinationsTabProps {
  organization: OperatorOrganization;
  canChange: boolean;
}

export function DestinationsTab({ organization: { id }, canChange }: DestinationsTabProps) {
  const source = sourceOf(id);
  return (
    <Stack gap="md">
      {canChange && (
        <Group justify="flex-end">
          <CreateDestination source={source} />
        </Group>
      )}
      <DestinationList source={source} canChange={canChange} askWho="Operators allow them in the tab Limits." />
    </Stack>
  );
}
