import type { CreatedKey } from "@dbdepot/contract/iam/keys";
import type { Format } from "@dbdepot/contract/shared/formats";
import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import { Alert, Button, Group, SegmentedControl, Stack, Tabs, Text } from "@mantine/core";
import { IconEyeOff, IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSession } from "../../app/session.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { KeyFormDialog } from "../keys/key-form.tsx";
import { ownKeyring } from "../keys/keyring.ts";
import { databasesApi } from "./api.ts";
import { clientInstalls, installFor, WITH_NPM } from "./client-install.ts";
import { FILE_NAMES, preferredFormat } from "./formats.ts";
import { SNIPPETS } from "./snippet-texts.ts";

/** The digest to compare the downloaded client with. */
function ClientDigest({ file }: { file: string }) {
  const digest = useQuery({ queryKey: ["client-digest", file], queryFn: () => databasesApi.clientDigest(file) });
  return (
    <Text c="dimmed" size="sm" mt="xs" style={{ overflowWrap: "anywhere" }}>
      SHA-256 of {file}: <code>{digest.data?.split(" ")[0]}</code>
    </Text>
  );
}

/** Offers the packages that the service has, the one for the reader's system first. */
function useClientInstall() {
  const offered = useQuery({ queryKey: ["client-packages"], queryFn: databasesApi.clientPackages, staleTime: 300_000 });
  const names = offered.data?.packages.map(({ name }) => name) ?? [];
  const installs = clientInstalls(navigator.userAgent, names);
  const [system, setSystem] = useState<string>();
  const install = installs.find((each) => each.system === system) ?? installFor(navigator.userAgent, installs);
  return { installs, install, setSystem };
}

/** The only time that the secret is shown. */
function NewKey({ created: { name, key } }: { created: CreatedKey }) {
  return (
    <Alert variant="light" color="yellow" icon={<IconEyeOff />} title={`${name} is ready`} role="status">
      <Text c="var(--mantine-color-text)" mb="xs">
        Store the key now, or copy an example that contains it. Once you leave this page, it can't be shown again.
      </Text>
      <CodeBlock code={key} label="Copy the key" />
    </Alert>
  );
}

/** Shows how to download this version from a shell or a program, with the address of this server. */
export function Snippets({ version: { id, formats } }: { version: DatabaseVersion }) {
  const { api_url, account } = useSession();
  const [chosen, setChosen] = useState<Format>();
  const format = chosen && formats.includes(chosen) ? chosen : preferredFormat(formats);
  const snippets = SNIPPETS.filter(({ onlyFormat }) => !onlyFormat || formats.includes(onlyFormat));
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedKey>();
  const key = created?.key ?? "dbd_...";
  const { installs, install, setSystem } = useClientInstall();
  const accountId = account?.organization?.account_id ?? 0;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text c="dimmed" style={{ flex: "1 1 320px" }}>
          {account?.role === "admin"
            ? "The examples need a key that may download."
            : `The examples need a key that may download. Ask an admin of ${account?.organization?.name} for one.`}{" "}
          Where <code>dbdepot</code> is installed, <code>dbdepot login --server {api_url}</code> gets one by itself.
        </Text>
        {account?.role === "admin" && !created && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconKey size={14} stroke={1.8} />}
            onClick={() => setCreating(true)}
          >
            Create a key
          </Button>
        )}
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
      {created && <NewKey created={created} />}
      {isCreating && (
        <KeyFormDialog
          keyring={ownKeyring}
          editedKey={undefined}
          suggestedName={`Downloads of ${id}`}
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreated(key);
            setCreating(false);
          }}
        />
      )}
      <Tabs defaultValue="curl" variant="pills" keepMounted={false}>
        <Tabs.List mb="sm">
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, text, client }) => (
          <Tabs.Panel key={name} value={name}>
            {client === "command" && installs.length > 1 && (
              <SegmentedControl
                size="xs"
                mb="sm"
                aria-label="System"
                value={install.system}
                onChange={setSystem}
                data={installs.map(({ system }) => system)}
              />
            )}
            <CodeBlock code={text({ url: api_url, id, format, accountId, key, install: install.lines(api_url) })} />
            {client && <ClientDigest file={client === "command" ? install.file : WITH_NPM.file} />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
