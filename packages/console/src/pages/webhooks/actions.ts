import type { IssuedWebhook, Webhook } from "@dbdepot/contract/v2/webhooks";

/** The dialog that is open. There is at most one. */
export type WebhookAction =
  | { kind: "create" }
  | { kind: "edit" | "rotate" | "delete"; webhook: Webhook }
  | { kind: "secret"; issued: IssuedWebhook; isRotation: boolean };
