import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { CreateWebhookRequest, DELIVERIES_LIMIT, Webhook } from "../v2/webhooks.ts";
import { OrganizationName } from "./fields.ts";
import { closedQuery, listParameters, organizationFilter, PageQuery } from "./queries.ts";

/** Webhooks as operators see them, in /api/operator and `dbdepot-server webhooks … --json`. */

export const OperatorWebhook = closedObject("OperatorWebhook", "A webhook of an organization.", {
  organization_id: Type.String({ description: "Organization id." }),
  ...Webhook.properties,
});
export type OperatorWebhook = Static<typeof OperatorWebhook>;

export const WEBHOOK_SORTS = ["url", "organization", "created", "last_delivered"] as const;
export type WebhookSort = (typeof WEBHOOK_SORTS)[number];

export const WebhooksQuery = closedQuery({
  org: organizationFilter,
  ...listParameters(WEBHOOK_SORTS, "the URL, the description, the id and the name of the organization"),
});
export type WebhooksQuery = Static<typeof WebhooksQuery>;

export const OperatorWebhookList = closedObject("OperatorWebhookList", "One page of webhooks.", {
  webhooks: Type.Array(OperatorWebhook, { description: "Newest first unless `sort` says otherwise." }),
});

export type OperatorWebhookList = Static<typeof OperatorWebhookList>;

export const OperatorCreateWebhookRequest = closedObject("OperatorCreateWebhookRequest", "The webhook to create.", {
  org: OrganizationName,
  ...CreateWebhookRequest.properties,
});

export type OperatorCreateWebhookRequest = Static<typeof OperatorCreateWebhookRequest>;

export const OperatorDeliveriesQuery = Type.Object(
  {
    ...PageQuery.properties,
    limit: Type.Optional(Type.Integer({ ...DELIVERIES_LIMIT, description: "Page size." })),
  },
  { additionalProperties: false },
);

export const DeletedWebhook = closedObject("DeletedWebhook", "The webhook that was deleted.", {
  id: Type.String({ format: "uuid" }),
});
