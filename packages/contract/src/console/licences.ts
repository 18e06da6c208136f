import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { REDISTRIBUTIONS } from "../v2/catalogue.ts";

/** An organization's own licences, in /api/console requests and responses. */

export const ACCESS_MESSAGE_MAX_LENGTH = 2000;

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

export const AccessRequest = closedObject("AccessRequest", "A request for a licence.", {
  base: Type.String({ maxLength: 1000, description: "The family that you need.", examples: ["vpn_ip"] }),
  message: Type.Optional(
    Type.String({
      maxLength: ACCESS_MESSAGE_MAX_LENGTH,
      // Line breaks and tabs are fine.
      pattern: "^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F]*$",
      description: `What you need it for, up to ${ACCESS_MESSAGE_MAX_LENGTH} characters.`,
      examples: ["We want to evaluate it for our gateway."],
    }),
  ),
});
export type AccessRequest = Static<typeof AccessRequest>;

export const AccessRequested = closedObject("AccessRequested", "Your request was recorded.", {
  mailed: Type.Boolean({
    description: "Whether it was also sent to your vendor by e-mail. If not, contact your vendor yourself.",
  }),
});
export type AccessRequested = Static<typeof AccessRequested>;
