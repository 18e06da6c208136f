import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Group, Stack } from "@mantine/core";
import { useState } from "react";
import type { WebhookAction } from "../webhooks/actions.ts";
import { WebhookList } from "../webhooks/webhook-list.tsx";
import { webhooksOf } from "../webhooks/webhook-source.ts";
import { CreateWebhookButton } from "../webhooks/webhooks.tsx";

interface WebhooksTabProps {
  organization: OperatorOrganization;
  canChange: boolean;
}

export function WebhooksTab({ organization: { id, name }, canChange }: WebhooksTabProps) {
  const [action, setAction] = useState<WebhookAction>();
  return (
    <Stack gap="md">
      {canChange && (
        <Group justify="flex-end">
          <CreateWebhookButton onClick={() => setAction({ kind: "create" })} />
        </Group>
      )}
      <WebhookList
        source={webhooksOf(id)}
        action={action}
        onAction={setAction}
        canChange={canChange}
        emptyText={`${name} does not receive events yet. Its admins can also create webhooks themselves.`}
      />
    </Stack>
  );
}
