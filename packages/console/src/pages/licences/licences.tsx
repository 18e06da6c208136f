import type { OwnLicence } from "@dbdepot/contract/console/licences";
import type { Database } from "@dbdepot/contract/v2/catalogue";
import { Anchor, Text, Title } from "@mantine/core";
import { IconCertificate } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { LicenceTimeline } from "../../components/licence-timeline.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { databasesQuery } from "../databases/api.ts";
import { isDownloadable } from "../databases/standing.tsx";
import { ownTermsQuery } from "../terms/api.ts";
import { AllLicences } from "./all-licences.tsx";
import { ownLicencesQuery } from "./api.ts";
import { ComingUp } from "./coming-up.tsx";
import { GrantedRequests } from "./granted-requests.tsx";
import { Unlicensed } from "./unlicensed.tsx";

/** Whether a database cannot be downloaded now, and no licence for it begins later. */
function isMissingIn(licences: readonly OwnLicence[]): (database: Database) => boolean {
  const upcoming = new Set(licences.filter(({ state }) => state === "upcoming").map(({ base }) => base));
  return (database) => !isDownloadable(database) && database.standing !== "licensed" && !upcoming.has(database.base);
}

/** Shows the licences of the person's organization, or of all organizations for operators. */
export function Licences() {
  return isOperatorRole(useAccount().role) ? <AllLicences /> : <OwnLicences />;
}

function OwnLicences() {
  const licences = useQuery(ownLicencesQuery);
  const databases = useQuery(databasesQuery);
  const { data: terms } = useQuery(ownTermsQuery);
  return (
    <Page title="Licences" description="What your organization may download, on which terms and until when.">
      <Loaded query={licences}>
        {({ licences, contact }) => (
          <>
            {licences.length === 0 ? (
              <EmptyState
                icon={IconCertificate}
                title="No licences yet"
                text="Request access to a database below. Licences appear here as soon as your vendor grants them."
              />
            ) : (
              <>
                <ComingUp licences={licences} />
                <Title order={2}>Past, current and future licences</Title>
                <LicenceTimeline
                  licences={licences}
                  termsTitle={(id) => terms?.terms.find((each) => each.id === id)?.title}
                />
              </>
            )}
            <Loaded query={databases} rows={3}>
              {({ databases }) => (
                <>
                  <GrantedRequests databases={databases} />
                  <Unlicensed databases={databases.filter(isMissingIn(licences))} />
                </>
              )}
            </Loaded>
            {contact && (
              <Text c="dimmed">
                Questions about licences? Write to{" "}
                <Anchor inherit underline="always" href={`mailto:${contact}`}>
                  {contact}
                </Anchor>
                .
              </Text>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
