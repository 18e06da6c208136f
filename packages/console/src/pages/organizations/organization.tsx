import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Alert, Group, Stack, Tabs, Text } from "@mantine/core";
import { IconArchive } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { BackLink, Page } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { LegacyKeysTable } from "../legacy-keys/legacy-keys-table.tsx";
import { AcceptanceTable } from "../terms/acceptance-table.tsx";
import { organizationQuery } from "./api.ts";
import { DestinationsTab } from "./destinations-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { LicencesTab } from "./licences-tab.tsx";
import { LimitsTab } from "./limits-tab.tsx";
import { MembersTab } from "./members-tab.tsx";
import { OrganizationMenu } from "./organization-menu.tsx";
import { ViewAsButton } from "./view-as-button.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";

const route = getRouteApi("/signed-in/organizations/$id");

export function Organization() {
  const { id } = route.useParams();
  const organization = useQuery(organizationQuery(id));
  return (
    <Stack gap="sm">
      <BackLink to="/organizations">Organizations</BackLink>
      <Loaded query={organization}>{(found) => <OrganizationPage organization={found} />}</Loaded>
    </Stack>
  );
}

function OrganizationPage({ organization }: { organization: OperatorOrganization }) {
  const { role } = useAccount();
  const { id, name, created, archived, external_id } = organization;
  const canChange = isManagerRole(role);
  return (
    <Page
      title={name}
      description={
        <Group gap={4}>
          Customer since <Time value={created} show="date" />
          {external_id && (
            <Text span inherit>
              · {external_id}
            </Text>
          )}
          <Text span inherit visibleFrom="xs">
            · <code>{id}</code>
          </Text>
          <CopyButton value={id} label="Copy the id" />
        </Group>
      }
      actions={
        <>
          {!archived && <ViewAsButton organization={organization} />}
          {canChange && <OrganizationMenu organization={organization} />}
        </>
      }
    >
      {archived && (
        <Alert variant="light" color="gray" icon={<IconArchive />} title="This organization is archived">
          Since <Time value={archived} show="full" /> its keys are refused and its people can't sign in. Nothing was
          deleted.
        </Alert>
      )}
      <OrganizationTabs organization={organization} canChange={canChange && !archived} />
    </Page>
  );
}

function OrganizationTabs({ organization, canChange }: { organization: OperatorOrganization; canChange: boolean }) {
  const { tab = "licences" } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (next: string | null) => void navigate({ search: next ? { tab: next } : {}, replace: true });
  return (
    <Tabs value={tab} onChange={show} keepMounted={false}>
      <Tabs.List mb="lg">
        <Tabs.Tab value="licences">Licences</Tabs.Tab>
        <Tabs.Tab value="terms">Terms</Tabs.Tab>
        <Tabs.Tab value="keys">API keys</Tabs.Tab>
        <Tabs.Tab value="legacy-keys">Legacy keys</Tabs.Tab>
        <Tabs.Tab value="webhooks">Webhooks</Tabs.Tab>
        <Tabs.Tab value="destinations">Destinations</Tabs.Tab>
        <Tabs.Tab value="members">Members</Tabs.Tab>
        <Tabs.Tab value="limits">Limits</Tabs.Tab>
        <Tabs.Tab value="history">History</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="licences">
        <LicencesTab organization={organization} canChange={canChange} />
      </Tabs.Panel>
      <Tabs.Panel value="terms">
        <Stack gap="md">
          <AcceptanceTable
            organizationId={organization.id}
            emptyText={`${organization.name} has accepted no terms. Its admins see those that its licences require.`}
          />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="keys">
        <KeysTab organization={organization} canChange={canChange} />
      </Tabs.Panel>
      <Tabs.Panel value="legacy-keys">
        <Stack gap="md">
          <LegacyKeysTable
            organizationId={organization.id}
            emptyText={`${organization.name} has no key for the v1 API that works.`}
          />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="webhooks">
        <WebhooksTab organization={organization} canChange={canChange} />
      </Tabs.Panel>
      <Tabs.Panel value="destinations">
        <DestinationsTab organization={organization} canChange={canChange} />
      </Tabs.Panel>
      <Tabs.Panel value="history">
        <HistoryTab organization={organization} />
      </Tabs.Panel>
      <Tabs.Panel value="limits">
        <LimitsTab organization={organization} canChange={canChange} />
      </Tabs.Panel>
      <Tabs.Panel value="members">
        <MembersTab organization={organization} canChange={canChange} />
      </Tabs.Panel>
    </Tabs>
  );
}
