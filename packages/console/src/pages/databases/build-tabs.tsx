import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { Tabs } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { BuildHistory } from "./build-history.tsx";
import { Checksums } from "./checksums.tsx";
import { Columns } from "./columns.tsx";
import { Lookup } from "./lookup.tsx";
import { SampleRows } from "./sample-rows.tsx";
import { Snippets } from "./snippets.tsx";

const route = getRouteApi("/signed-in/databases/$base");

export function BuildTabs({ version, build }: { version: DatabaseVersion; build: DatabaseMetadata }) {
  const { tab = "use" } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (next: string | null) =>
    void navigate({ search: (all) => ({ ...all, tab: next ?? "use" }), replace: true });
  return (
    <Tabs value={tab} onChange={show} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="use">Use it</Tabs.Tab>
        <Tabs.Tab value="columns">Columns</Tabs.Tab>
        <Tabs.Tab value="sample">Sample rows</Tabs.Tab>
        <Tabs.Tab value="checksums">Checksums</Tabs.Tab>
        <Tabs.Tab value="builds">Builds</Tabs.Tab>
        {version.formats.includes("mmdb") && <Tabs.Tab value="lookup">Look up</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="use">
        <Snippets version={version} />
      </Tabs.Panel>
      <Tabs.Panel value="columns">
        <Columns build={build} />
      </Tabs.Panel>
      <Tabs.Panel value="sample">
        <SampleRows build={build} />
      </Tabs.Panel>
      <Tabs.Panel value="checksums">
        <Checksums version={version} />
      </Tabs.Panel>
      <Tabs.Panel value="builds">
        <BuildHistory version={version} />
      </Tabs.Panel>
      <Tabs.Panel value="lookup">
        <Lookup key={version.id} id={version.id} />
      </Tabs.Panel>
    </Tabs>
  );
}
