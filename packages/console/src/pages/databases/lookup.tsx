import type { LookupResult } from "@dbdepot/contract/console/databases";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { CodeBlock } from "../../components/code-block.tsx";
import { FormError } from "../../components/form-error.tsx";
import { databasesApi } from "./api.ts";

/** Shows the record of an address in the current MMDB file. */
export function Lookup({ id, isSample = false }: { id: string; isSample?: boolean }) {
  const [address, setAddress] = useState("");
  const lookup = useMutation({ mutationFn: () => databasesApi.lookup(id, address) });
  return (
    <Stack gap="md">
      <Text c="dimmed">
        {isSample
          ? "Without a licence you see the records of the sample, which has only a few."
          : "Finds the record of an IPv4 or IPv6 address in the current MMDB file."}
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          lookup.mutate();
        }}
      >
        <Group gap="xs" align="flex-end">
          <TextInput
            label="IP address"
            placeholder="192.0.2.1"
            required
            withAsterisk={false}
            value={address}
            onChange={({ currentTarget }) => setAddress(currentTarget.value)}
            style={{ flex: "1 1 220px", maxWidth: 400 }}
          />
          <Button type="submit" leftSection={<IconSearch size={16} stroke={1.8} />} loading={lookup.isPending}>
            Look up
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        <FormError error={lookup.error} />
        {lookup.data && <Found result={lookup.data} />}
      </div>
    </Stack>
  );
}

function Found({ result: { address, network, record } }: { result: LookupResult }) {
  if (network === null) {
    return (
      <Text>
        <code>{address}</code> has no record.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <Text>
        <code>{address}</code> is in <code>{network}</code>:
      </Text>
      <CodeBlock code={JSON.stringify(record, null, 2)} label="Copy the record" />
    </Stack>
  );
}
