import type { Format } from "@dbdepot/contract/shared/formats";
import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import { Anchor, Group, SegmentedControl, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useSession } from "../../app/session.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { databasesApi } from "./api.ts";
import { FILE_NAMES } from "./formats.ts";
import { SNIPPETS } from "./snippet-texts.ts";

/** The digest to compare the downloaded client with. */
function ClientDigest() {
  const digest = useQuery({ queryKey: ["client-digest"], queryFn: databasesApi.clientDigest });
  return (
    <Text c="dimmed" size="sm" mt="xs" style={{ overflowWrap: "anywhere" }}>
      SHA-256 of dbdepot-client.tgz: <code>{digest.data?.split(" ")[0]}</code>
    </Text>
  );
}

/** Shows how to download this version from a shell or a program, with the address of this server. */
export function Snippets({ version: { id, formats } }: { version: DatabaseVersion }) {
  const { api_url, account } = useSession();
  const [chosen, setChosen] = useState<Format>();
  const format = chosen && formats.includes(chosen) ? chosen : (formats.at(-1) ?? "csvgz");
  const snippets = SNIPPETS.filter(({ onlyFormat }) => !onlyFormat || formats.includes(onlyFormat));
  const accountId = account?.organization?.account_id ?? 0;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text c="dimmed">
          Put a key with the scope <code>db.download</code> into <code>DBDEPOT_CLIENT_KEY</code>.{" "}
          {account?.role === "admin" && (
            <Anchor inherit underline="always" renderRoot={(props) => <Link to="/keys" {...props} />}>
              Create a key
            </Anchor>
          )}
        </Text>
        {formats.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label="Format"
            value={format}
            onChange={(value) => setChosen(value as Format)}
            data={formats.map((each) => ({ value: each, label: FILE_NAMES[each] }))}
          />
        )}
      </Group>
      <Tabs defaultValue="curl" variant="pills" keepMounted={false}>
        <Tabs.List mb="sm">
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, text, usesClient }) => (
          <Tabs.Panel key={name} value={name}>
            <CodeBlock code={text({ url: api_url, id, format, accountId })} />
            {usesClient && <ClientDigest />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
