import { Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Loaded } from "../../components/loaded.tsx";
import { showError } from "../../components/notices.ts";
import { Section } from "../../components/section.tsx";
import { allowDeliveries, DESTINATIONS_KEY, destinationsQuery, sourceOf } from "./destination-source.ts";

/** Lets operators decide whether an organization may have builds delivered. */
export function DeliveryPermission({ organizationId, canChange }: { organizationId: string; canChange: boolean }) {
  const queryClient = useQueryClient();
  const destinations = useQuery(destinationsQuery(sourceOf(organizationId)));
  const change = useMutation({
    mutationFn: (isAllowed: boolean) => allowDeliveries(organizationId, isAllowed),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [DESTINATIONS_KEY] }),
    onError: showError,
  });
  return (
    <Section
      title="Deliveries"
      description="Each one sends its files to the internet, whether anyone uses them or not."
    >
      <Loaded query={destinations} rows={1}>
        {({ setup }) => (
          <Switch
            label="Put new builds into the buckets of this organization"
            description="If you stop it, destinations and files stay as they are"
            disabled={!canChange}
            // While the change is saved, the switch shows what was chosen.
            checked={change.isPending ? change.variables : setup.allowed}
            onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
          />
        )}
      </Loaded>
    </Section>
  );
}
