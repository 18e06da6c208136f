import { Button, Group, Switch } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { plural } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import type { KeyAction } from "./actions.ts";
import { KeyFormDialog } from "./key-form.tsx";
import { KeysTable } from "./keys-table.tsx";
import { keysQuery } from "./queries.ts";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { isUsable } from "./state.tsx";

export function Keys() {
  const keys = useQuery(keysQuery);
  const [action, setAction] = useState<KeyAction>();
  const [showsAll, setShowsAll] = useState(false);
  const close = () => setAction(undefined);
  const createButton = (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setAction({ kind: "create" })}>
      Create key
    </Button>
  );
  return (
    <Page
      title="API keys"
      description="Programs authenticate with a key. Give each its own, so that you can see what it does and revoke it alone."
      actions={createButton}
    >
      <Loaded
        query={keys}
        isEmpty={(all) => all.length === 0}
        empty={
          <EmptyState
            icon={IconKey}
            title="No keys yet"
            text="Create one to download databases from a shell, a cron job or a program."
            action={createButton}
          />
        }
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
              <KeysTable keys={showsAll ? all : usable} onAction={setAction} />
            </>
          );
        }}
      </Loaded>
      {(action?.kind === "create" || action?.kind === "edit") && (
        <KeyFormDialog
          editedKey={action.kind === "edit" ? action.key : undefined}
          onClose={close}
          onCreated={(created) => setAction({ kind: "secret", created, isRotation: false })}
        />
      )}
      {action?.kind === "rotate" && (
        <RotateDialog
          apiKey={action.key}
          onClose={close}
          onRotated={(created) => setAction({ kind: "secret", created, isRotation: true })}
        />
      )}
      {action?.kind === "revoke" && <RevokeDialog apiKey={action.key} onClose={close} />}
      {action?.kind === "secret" && (
        <SecretDialog created={action.created} isRotation={action.isRotation} onClose={close} />
      )}
    </Page>
  );
}
