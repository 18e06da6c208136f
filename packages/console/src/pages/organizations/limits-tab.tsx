import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Button, Group, Stack } from "@mantine/core";
import { IconGauge } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/section.tsx";
import { DeliveryPermission } from "../destinations/delivery-permission.tsx";
import { LimitBars } from "../limits/limit-bars.tsx";
import { limitsOf } from "./api.ts";
import { LimitsDialog } from "./limits-dialog.tsx";

interface LimitsTabProps {
  organization: OperatorOrganization;
  canChange: boolean;
}

/** Shows the limits of the organization and how much of each is used, and what else it may do. */
export function LimitsTab({ organization, canChange }: LimitsTabProps) {
  const limits = useQuery(limitsOf(organization.id));
  const [isOpen, setOpen] = useState(false);
  const button = canChange && <Button onClick={() => setOpen(true)}>Change limits</Button>;
  return (
    <Stack gap="md">
      <Loaded
        query={limits}
        isEmpty={(found) => found.length === 0}
        empty={
          <EmptyState
            icon={IconGauge}
            title="No limits"
            text="This organization may download as often and as much as its licences allow."
            action={button}
          />
        }
      >
        {(found) => (
          <Stack gap="md">
            <Group justify="flex-end">{button}</Group>
            <Section title="Limits" description="Days and months are in UTC.">
              <LimitBars limits={found} />
            </Section>
          </Stack>
        )}
      </Loaded>
      <DeliveryPermission organizationId={organization.id} canChange={canChange} />
      {isOpen && <LimitsDialog organization={organization} onClose={() => setOpen(false)} />}
    </Stack>
  );
}
