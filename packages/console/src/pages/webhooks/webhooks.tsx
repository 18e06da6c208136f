import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useOpens } from "../../app/opens.ts";
import { Page } from "../../components/page.tsx";
import type { WebhookAction } from "./actions.ts";
import { WebhookList } from "./webhook-list.tsx";
import { ownWebhooks } from "./webhook-source.ts";

export function Webhooks() {
  const [action, setAction] = useState<WebhookAction>();
  useOpens("create", () => setAction({ kind: "create" }));
  return (
    <Page
      title="Webhooks"
      description="Your servers get a signed request when there is a new build, or when a licence or key changes."
      actions={<CreateWebhookButton onClick={() => setAction({ kind: "create" })} />}
    >
      <WebhookList
        source={ownWebhooks}
        action={action}
        onAction={setAction}
        emptyText="Create one to update databases as soon as a build is published, instead of polling."
      />
    </Page>
  );
}

export function CreateWebhookButton({ onClick }: { onClick: () => void }) {
  return (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={onClick}>
      Create webhook
    </Button>
  );
}
