import Type, { type Static } from "typebox";
import { termsFields } from "../operator/terms.ts";
import { closedObject } from "../shared/closed-object.ts";

/** Documents that an organization has to accept or has accepted, in /api/console requests and responses. */

const OwnAcceptance = closedObject("OwnAcceptance", "Who accepted the terms for your organization, and when.", {
  name: Type.String({ description: "The person's name at that time, which may be empty." }),
  email: Type.String({
    description: "The person's e-mail address at that time.",
    examples: ["admin@customer.example"],
  }),
  created: Type.String({ format: "date-time", description: "When they were accepted." }),
});

export const OwnTerms = closedObject("OwnTerms", "A version of a document that your licences require.", {
  ...termsFields,
  databases: Type.Array(Type.String({ examples: ["VPN IP"] }), {
    description: "The names of the families whose current or future licences require it.",
  }),
  acceptance: Type.Union([OwnAcceptance, Type.Null()], { description: "Null until your organization accepts it." }),
});
export type OwnTerms = Static<typeof OwnTerms>;

export const OwnTermsList = closedObject("OwnTermsList", "The terms of your licences.", {
  terms: Type.Array(OwnTerms, { description: "Those that have to be accepted first, then the newest." }),
  admins: Type.Array(
    closedObject("OrganizationAdmin", "An admin of your organization.", { name: Type.String(), email: Type.String() }),
    { description: "The people of your organization who can accept terms." },
  ),
});
export type OwnTermsList = Static<typeof OwnTermsList>;

export const OwnTermsText = closedObject("OwnTermsText", "A version of a document with its text.", {
  ...OwnTerms.properties,
  text: Type.String({ description: "The text, in plain text or Markdown." }),
});
export type OwnTermsText = Static<typeof OwnTermsText>;

export const AcceptTermsRequest = closedObject("AcceptTermsRequest", "The text to accept.", {
  sha256: Type.String({
    maxLength: 100,
    description: "The SHA-256 of the text that you have read, as the version states it.",
  }),
});
export type AcceptTermsRequest = Static<typeof AcceptTermsRequest>;
