import { useParams } from "@tanstack/react-router";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { ownWebhooks, type WebhookSource, webhooksOf } from "./webhook-source.ts";

interface ShownWebhook {
  source: WebhookSource;
  /** Its id. */
  webhook: string;
  /** The id of the delivery, on its page. */
  delivery: string;
  canChange: boolean;
}

/** The webhook that the page's address names: one of the person's organization, or for operators of any organization. */
export function useShownWebhook(): ShownWebhook {
  const { id, webhook = "", delivery = "" } = useParams({ strict: false });
  const { role } = useAccount();
  return { source: id === undefined ? ownWebhooks : webhooksOf(id), webhook, delivery, canChange: isManagerRole(role) };
}
