import type { IssuedWebhook, Webhook } from "@dbdepot/contract/v2/webhooks";

/** What the dialogs work on. At most one of them is open. */
export type WebhookAction =
  | { kind: "create" }
  | { kind: "edit" | "deliveries" | "rotate" | "delete"; webhook: Webhook }
  | { kind: "secret"; issued: IssuedWebhook; isRotation: boolean };
