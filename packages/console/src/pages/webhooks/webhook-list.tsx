import { IconWebhook } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import type { WebhookAction } from "./actions.ts";
import { WebhookDialogs } from "./webhook-dialogs.tsx";
import type { WebhookSource } from "./webhook-source.ts";
import { WebhooksTable } from "./webhooks-table.tsx";

interface WebhookListProps {
  source: WebhookSource;
  action: WebhookAction | undefined;
  onAction: (action: WebhookAction | undefined) => void;
  /** Otherwise the person may only look. */
  canChange?: boolean;
  emptyText: string;
}

/** The webhooks of an organization with everything that can be done with them. */
export function WebhookList({ source, action, onAction, canChange = true, emptyText }: WebhookListProps) {
  const webhooks = useQuery({ queryKey: source.queryKey, queryFn: source.list });
  return (
    <>
      <Loaded
        query={webhooks}
        isEmpty={(all) => all.length === 0}
        empty={<EmptyState icon={IconWebhook} title="No webhooks yet" text={emptyText} />}
      >
        {(all) => <WebhooksTable source={source} webhooks={all} canChange={canChange} onAction={onAction} />}
      </Loaded>
      {action && <WebhookDialogs source={source} action={action} canChange={canChange} onAction={onAction} />}
    </>
  );
}
