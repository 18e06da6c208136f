import Type, { type Static } from "typebox";
import { PlainText } from "../console/licences.ts";
import { REQUEST_STATES } from "../shared/choices.ts";
import { closedObject } from "../shared/closed-object.ts";
import { MailResult } from "../shared/mail.ts";
import { STANDINGS } from "../v2/catalogue.ts";
import { Base, Created, listOf, OrganizationId, textOrNull, timeOrNull } from "./fields.ts";
import { GrantLicenceRequest } from "./licences.ts";
import { closedQuery, organizationFilter, pageParameters } from "./queries.ts";

/** Access requests as operators see them. */

export const OperatorRequest = closedObject("OperatorRequest", "A request of an organization for a licence.", {
  id: Type.String(),
  organization_id: OrganizationId,
  organization_name: Type.String({ description: "Organization name." }),
  base: Base,
  email: Type.String({ description: "The e-mail address of the person who asked." }),
  name: Type.String({ description: "The name of that person, which may be empty." }),
  message: Type.String({ description: "What the licence is needed for. May be empty." }),
  state: Type.Enum([...REQUEST_STATES], { description: "Current state." }),
  reply: textOrNull("The answer, which may be empty if it was granted, or null while it is pending."),
  decided: timeOrNull("When it was granted or declined, or null."),
  licence_id: textOrNull("The licence that was granted or renewed, or null."),
  standing: Type.Enum([...STANDINGS], { description: "The organization's standing for the family now." }),
  licence_expires: timeOrNull("The end of the licence that the standing is based on, or null."),
  created: Created,
});
export type OperatorRequest = Static<typeof OperatorRequest>;

export const RequestList = closedObject("RequestList", "One page of access requests.", {
  requests: listOf(OperatorRequest, "Pending requests first, then the newest."),
});
export type RequestList = Static<typeof RequestList>;

export const RequestsQuery = closedQuery({
  state: Type.Optional(Type.Enum([...REQUEST_STATES], { description: "Only requests in this state." })),
  org: organizationFilter,
  ...pageParameters,
});
export type RequestsQuery = Static<typeof RequestsQuery>;

const { org: _, base: __, ...terms } = GrantLicenceRequest.properties;

export const GrantRequestRequest = closedObject(
  "GrantRequestRequest",
  "The terms of the licence. Its organization and family are those of the request.",
  {
    ...terms,
    reply: Type.Optional(Type.String({ ...PlainText, description: "A message to the person who asked." })),
  },
);
export type GrantRequestRequest = Static<typeof GrantRequestRequest>;

export const DeclineRequestRequest = closedObject("DeclineRequestRequest", "Why the request is declined.", {
  reason: Type.String({ ...PlainText, minLength: 1, description: "The reason, which the customer sees." }),
});
export type DeclineRequestRequest = Static<typeof DeclineRequestRequest>;

export const DecidedRequest = closedObject("DecidedRequest", "The request after the decision.", {
  ...OperatorRequest.properties,
  mailed: Type.Boolean({ description: "Whether the person who asked was notified by e-mail." }),
  mail: MailResult,
});
export type DecidedRequest = Static<typeof DecidedRequest>;
