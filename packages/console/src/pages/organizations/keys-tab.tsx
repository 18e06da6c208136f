import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Group, Stack } from "@mantine/core";
import { useState } from "react";
import type { KeyAction } from "../keys/actions.ts";
import { KeyList } from "../keys/key-list.tsx";
import { keyringOf } from "../keys/keyring.ts";
import { CreateKeyButton } from "../keys/keys.tsx";

interface KeysTabProps {
  organization: OperatorOrganization;
  canChange: boolean;
}

export function KeysTab({ organization: { id, name }, canChange }: KeysTabProps) {
  const [action, setAction] = useState<KeyAction>();
  return (
    <Stack gap="md">
      {canChange && (
        <Group justify="flex-end">
          <CreateKeyButton onClick={() => setAction({ kind: "create" })} />
        </Group>
      )}
      <KeyList
        keyring={keyringOf(id)}
        action={action}
        onAction={canChange ? setAction : undefined}
        emptyText={`Programs of ${name} need a key to download.`}
      />
    </Stack>
  );
}
