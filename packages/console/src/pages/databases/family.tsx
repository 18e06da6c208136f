import type { Database, DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { Alert, Group, Stack, Text, Title } from "@mantine/core";
import { IconClock, IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { NotFound } from "../../app/page-states.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { BackLink, Page } from "../../components/page.tsx";
import { Section } from "../../components/section.tsx";
import { RequestAccess } from "../licences/request-access.tsx";
import { TermsBanner } from "../terms/terms-banner.tsx";
import { type CurrentBuildMap, currentBuildsQuery, databasesQuery, metadataQuery } from "./api.ts";
import { BuildFacts } from "./build-facts.tsx";
import { BuildTabs } from "./build-tabs.tsx";
import { Columns } from "./columns.tsx";
import { DownloadButtons, SampleButtons } from "./download-buttons.tsx";
import { Lookup } from "./lookup.tsx";
import { SampleRows } from "./sample-rows.tsx";
import { isDownloadable, LicenceTerm, StandingBadge } from "./standing.tsx";
import { VersionSwitch } from "./version-switch.tsx";

const route = getRouteApi("/signed-in/databases/$base");

export function Family() {
  const { base } = route.useParams();
  const databases = useQuery(databasesQuery);
  const builds = useQuery(currentBuildsQuery);
  return (
    <Loaded query={databases}>
      {({ databases }) => {
        const database = databases.find((each) => each.base === base);
        if (!database) return <NotFound />;
        return <Loaded query={builds}>{(builds) => <FamilyPage database={database} builds={builds} />}</Loaded>;
      }}
    </Loaded>
  );
}

/** Opens on the newest version that has a build, unless the URL names another. */
function FamilyPage({ database, builds }: { database: Database; builds: CurrentBuildMap }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { name, base, versions } = database;
  const version =
    versions.find((each) => each.version === search.version) ??
    versions.findLast(({ id }) => builds.has(id)) ??
    versions.at(-1);
  if (!version) return <NotFound />;
  return (
    <Stack gap="sm">
      <BackLink to="/databases">Databases</BackLink>
      <Page
        title={name}
        description={
          <Stack gap="xs">
            <Text inherit>{version.summary}</Text>
            <Group gap="xs">
              <StandingBadge database={database} />
              <Text size="sm">
                <code>{base}</code>
                {(database.open || database.standing !== "unlicensed") && (
                  <>
                    {" · "}
                    <LicenceTerm database={database} />
                  </>
                )}
              </Text>
            </Group>
          </Stack>
        }
        actions={isDownloadable(database) && <DownloadButtons version={version} />}
      >
        {versions.length > 1 && (
          <Group gap="sm">
            <VersionSwitch
              versions={versions}
              shown={version.version}
              onChange={(next) => void navigate({ search: (all) => ({ ...all, version: next }), replace: true })}
            />
            <Text size="sm" c="dimmed">
              Versions are frozen: their columns never change, and old ones stay available.
            </Text>
          </Group>
        )}
        <TermsBanner databases={[database]} />
        {!isDownloadable(database) && <NoAccess database={database} version={version} />}
        <Build version={version} isDownloadable={isDownloadable(database)} />
      </Page>
    </Stack>
  );
}

function Build({ version, isDownloadable }: { version: DatabaseVersion; isDownloadable: boolean }) {
  const metadata = useQuery(metadataQuery(version.id));
  return (
    <Loaded query={metadata}>
      {(build) =>
        build ? (
          <>
            <BuildFacts build={build} />
            {isDownloadable ? (
              <BuildTabs version={version} build={build} />
            ) : (
              <Preview version={version} build={build} />
            )}
          </>
        ) : (
          <Alert variant="light" color="gray" icon={<IconClock />} title="No build at the moment">
            Your vendor has withdrawn the last build. It can be downloaded again as soon as a new one is published.
          </Alert>
        )
      }
    </Loaded>
  );
}

/** Shows an organization without a licence what it would get. */
function Preview({ version, build }: { version: DatabaseVersion; build: DatabaseMetadata }) {
  return (
    <>
      <Stack gap="xs">
        <Title order={2}>Columns</Title>
        <Columns build={build} />
      </Stack>
      {build.sample && (
        <Stack gap="xs">
          <Title order={2}>Sample rows</Title>
          <SampleRows build={build} />
        </Stack>
      )}
      {version.sample_formats.includes("mmdb") && (
        <Section title="Look up an address">
          <Lookup key={version.id} id={version.id} isSample />
        </Section>
      )}
    </>
  );
}

function NoAccess({ database: { base, name, standing }, version }: { database: Database; version: DatabaseVersion }) {
  // Only the terms are missing, as the banner says.
  if (standing === "licensed") return version.sample_formats.length > 0 && <SampleButtons version={version} />;
  return (
    <>
      <Alert
        variant="light"
        color="gray"
        icon={<IconLock />}
        title={standing === "expired" ? "Your licence has ended" : "Your organization has no licence for this database"}
      >
        {standing === "expired"
          ? `Ask your vendor to renew the licence for ${name}. Downloads are refused until then; files you already have are not affected.`
          : `Ask your vendor for a licence for ${name} or for an evaluation.`}
      </Alert>
      <Group gap="xs">
        <RequestAccess base={base} name={name} isRenewal={standing === "expired"} />
        <SampleButtons version={version} />
      </Group>
    </>
  );
}
