import { Group, Switch } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { plural } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import type { KeyAction } from "./actions.ts";
import { KeyDialogs } from "./key-dialogs.tsx";
import type { Keyring } from "./keyring.ts";
import { KeysTable } from "./keys-table.tsx";
import { isUsable } from "./state.tsx";

interface KeyListProps {
  keyring: Keyring;
  action: KeyAction | undefined;
  /** Undefined: the person may only look. */
  onAction: ((action: KeyAction | undefined) => void) | undefined;
  emptyText: string;
}

/** The keys of an organization with everything that can be done with them. */
export function KeyList({ keyring, action, onAction, emptyText }: KeyListProps) {
  const keys = useQuery({ queryKey: keyring.queryKey, queryFn: keyring.list });
  const [showsAll, setShowsAll] = useState(false);
  return (
    <>
      <Loaded
        query={keys}
        isEmpty={(all) => all.length === 0}
        empty={<EmptyState icon={IconKey} title="No keys yet" text={emptyText} />}
      >
        {(all) => {
          const usable = all.filter(isUsable);
          const hidden = all.length - usable.length;
          return (
            <>
              {hidden > 0 && (
                <Group justify="flex-end">
                  <Switch
                    label={`Show ${plural(hidden, "revoked or expired key")}`}
                    checked={showsAll}
                    onChange={({ currentTarget }) => setShowsAll(currentTarget.checked)}
                  />
                </Group>
              )}
              <KeysTable keys={showsAll ? all : usable} onAction={onAction} />
            </>
          );
        }}
      </Loaded>
      {action && onAction && <KeyDialogs keyring={keyring} action={action} onAction={onAction} />}
    </>
  );
}
