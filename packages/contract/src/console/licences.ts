import Type, { type Static } from "typebox";
import { ACCESS_MESSAGE_MAX_LENGTH, REQUEST_STATES } from "../shared/choices.ts";
import { closedObject } from "../shared/closed-object.ts";
import { MailResult } from "../shared/mail.ts";
import { REDISTRIBUTIONS } from "../v2/catalogue.ts";

/** An organization's own licences, in /api/console requests and responses. */

const TimeOrNull = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

export const OwnLicence = closedObject("OwnLicence", "One term of a licence of your organization.", {
  id: Type.String(),
  base: Type.String({ description: "The family that the licence is for.", examples: ["vpn_ip"] }),
  name: Type.String({ description: "Display name of the family.", examples: ["VPN IP"] }),
  redistribution: Type.Enum([...REDISTRIBUTIONS], { description: "What you may do with the data." }),
  state: Type.Enum(["live", "upcoming", "ended"], { description: "Only a live licence allows downloads." }),
  starts: Type.String({ format: "date-time", description: "When the licence starts." }),
  expires: Type.Union([...TimeOrNull.anyOf], { description: "When the licence ends, or null if it has no end date." }),
  renews_at: Type.Union([...TimeOrNull.anyOf], {
    description: "The date on which your contract renews automatically, if your vendor has set one.",
  }),
  notice_due_at: Type.Union([...TimeOrNull.anyOf], {
    description: "The last date on which you can cancel before the contract renews, if your vendor has set one.",
  }),
  terms: Type.Union([Type.String({ examples: ["data-licence@2"] }), Type.Null()], {
    description: "The terms that your organization must accept before it can download with this licence, or null.",
  }),
});
export type OwnLicence = Static<typeof OwnLicence>;

export const OwnLicences = closedObject("OwnLicences", "The licences of your organization.", {
  licences: Type.Array(OwnLicence, {
    description: "Past, current and future licences, ordered by family and start.",
  }),
  contact: Type.Union([Type.String({ examples: ["sales@vendor.example"] }), Type.Null()], {
    description: "The e-mail address of your vendor for questions about licences, or null if none is configured.",
  }),
});
export type OwnLicences = Static<typeof OwnLicences>;

/** Text of several lines. Line breaks and tabs are fine. */
export const PlainText = {
  maxLength: ACCESS_MESSAGE_MAX_LENGTH,
  pattern: "^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F]*$",
};

export const AccessRequest = closedObject("AccessRequest", "A request for a licence.", {
  base: Type.String({ maxLength: 1000, description: "The family that you need.", examples: ["vpn_ip"] }),
  message: Type.Optional(
    Type.String({
      ...PlainText,
      description: `What you need it for, up to ${ACCESS_MESSAGE_MAX_LENGTH} characters.`,
      examples: ["We want to evaluate it for our gateway."],
    }),
  ),
});
export type AccessRequest = Static<typeof AccessRequest>;

export const OwnRequest = closedObject("OwnRequest", "A request of your organization for a licence.", {
  id: Type.String({ format: "uuid", description: "Identifies the request." }),
  base: Type.String({ description: "The family that was requested.", examples: ["vpn_ip"] }),
  requested_by: Type.String({
    description: "The e-mail address of the person who asked.",
    examples: ["admin@customer.example"],
  }),
  message: Type.String({ description: "What it is needed for. Empty if the person wrote nothing." }),
  state: Type.Enum([...REQUEST_STATES], { description: "`pending` until your vendor grants or declines it." }),
  reply: Type.Union([Type.String(), Type.Null()], {
    description: "Your vendor's answer, which may be empty, or null while the request is pending.",
  }),
  decided: Type.Union([...TimeOrNull.anyOf], { description: "When it was granted or declined, or null." }),
  created: Type.String({ format: "date-time", description: "When it was sent." }),
});
export type OwnRequest = Static<typeof OwnRequest>;

export const OwnRequests = closedObject("OwnRequests", "The requests of your organization for licences.", {
  requests: Type.Array(OwnRequest, { description: "The newest request for each family, ordered by family." }),
});
export type OwnRequests = Static<typeof OwnRequests>;

export const AccessRequested = closedObject("AccessRequested", "The request, as it is recorded.", {
  mailed: Type.Boolean({
    description: "Whether it was also sent to your vendor by e-mail.",
  }),
  mail: MailResult,
  already_pending: Type.Boolean({
    description:
      "Whether your organization had asked before and is still waiting for an answer. Then nothing was changed or sent, and `request` is the earlier one.",
  }),
  request: OwnRequest,
});
export type AccessRequested = Static<typeof AccessRequested>;
