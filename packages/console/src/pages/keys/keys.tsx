import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useOpens } from "../../app/opens.ts";
import { Page } from "../../components/page.tsx";
import type { KeyAction } from "./actions.ts";
import { KeyList } from "./key-list.tsx";
import { ownKeyring } from "./keyring.ts";

export function Keys() {
  const [action, setAction] = useState<KeyAction>();
  useOpens("create", () => setAction({ kind: "create" }));
  return (
    <Page
      title="API keys"
      description="Programs authenticate with a key. Give each its own, so that you can see what it does and revoke it alone."
      actions={<CreateKeyButton onClick={() => setAction({ kind: "create" })} />}
    >
      <KeyList
        keyring={ownKeyring}
        action={action}
        onAction={setAction}
        emptyText="Create one to download databases from a shell, a cron job or a program."
      />
    </Page>
  );
}

export function CreateKeyButton({ onClick }: { onClick: () => void }) {
  return (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={onClick}>
      Create key
    </Button>
  );
}
