import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { Created, listOf, OrganizationId, TermsName, textOrNull } from "./fields.ts";
import { closedQuery, listParameters, organizationFilter } from "./queries.ts";

/** Documents that customers accept, as operators see them. */

export const TERMS_MAX_BYTES = 256 * 1024;
export const TERMS_NAME_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$";
export const TERMS_NAME_MAX_LENGTH = 60;
export const TERMS_TITLE_MAX_LENGTH = 200;

/** The fields that everyone sees who may read a version. */
export const termsFields = {
  id: Type.String({ description: "The name and the version.", examples: ["data-licence@2"] }),
  name: Type.String({ description: "The name of the document.", examples: ["data-licence"] }),
  version: Type.Integer({ minimum: 1, description: "Counts the versions of the document from 1." }),
  title: Type.String({ description: "The title that customers see.", examples: ["Data licence agreement"] }),
  sha256: Type.String({ description: "The SHA-256 of the text in UTF-8, in hexadecimal digits." }),
  created: Created,
};

export const OperatorTerms = closedObject("OperatorTerms", "One version of a document. It never changes.", {
  ...termsFields,
  size_bytes: Type.Integer({ minimum: 1, description: "The size of the text in UTF-8." }),
  created_by: textOrNull("Who added it, or null if the audit log no longer has the entry."),
  acceptances: Type.Integer({ minimum: 0, description: "The number of organizations that have accepted it." }),
});
export type OperatorTerms = Static<typeof OperatorTerms>;

export const OperatorTermsText = closedObject("OperatorTermsText", "One version of a document with its text.", {
  ...OperatorTerms.properties,
  text: Type.String({ description: "The text, in plain text or Markdown." }),
});
export type OperatorTermsText = Static<typeof OperatorTermsText>;

export const TermsList = closedObject("TermsList", "One page of terms.", {
  terms: listOf(OperatorTerms, "All versions, the newest first unless `sort` says otherwise."),
});
export type TermsList = Static<typeof TermsList>;

export const TERMS_SORTS = ["name", "created"] as const;
export type TermsSort = (typeof TERMS_SORTS)[number];

export const TermsQuery = closedQuery(listParameters(TERMS_SORTS, "the name, the version and the title"));
export type TermsQuery = Static<typeof TermsQuery>;

export const AddTermsRequest = closedObject("AddTermsRequest", "A document, or its next version.", {
  name: Type.String({
    maxLength: 1000,
    description: `A short name of lower-case letters, digits and hyphens, up to ${TERMS_NAME_MAX_LENGTH} characters.`,
    examples: ["data-licence"],
  }),
  title: Type.String({
    maxLength: 1000,
    description: `The title that customers see, up to ${TERMS_TITLE_MAX_LENGTH} characters.`,
    examples: ["Data licence agreement"],
  }),
  text: Type.String({
    description: `The text, in plain text or Markdown, up to ${TERMS_MAX_BYTES / 1024} KiB in UTF-8. It is shown as it is.`,
    examples: ["1. You may use the data inside your company."],
  }),
});
export type AddTermsRequest = Static<typeof AddTermsRequest>;

export const AddedTerms = closedObject("AddedTerms", "The newest version of the document.", {
  ...OperatorTerms.properties,
  added: Type.Boolean({ description: "False if the newest version already had this text: then nothing was changed." }),
});
export type AddedTerms = Static<typeof AddedTerms>;

export const Acceptance = closedObject("Acceptance", "An organization has accepted a version of a document.", {
  id: Type.String({ description: "Id of the acceptance." }),
  organization_id: OrganizationId,
  organization_name: Type.String({ description: "Organization name." }),
  terms: Type.String({ description: "The version that was accepted.", examples: ["data-licence@2"] }),
  sha256: Type.String({ description: "The SHA-256 of the text that was accepted, in hexadecimal digits." }),
  account_id: Type.String({ description: "The account of the person who accepted it." }),
  name: Type.String({ description: "The person's name at that time, which may be empty." }),
  email: Type.String({ description: "The person's e-mail address at that time." }),
  address: Type.String({ description: "The address that the request came from.", examples: ["192.0.2.1"] }),
  created: Type.String({ format: "date-time", description: "When it was accepted." }),
});
export type Acceptance = Static<typeof Acceptance>;

export const AcceptanceList = closedObject("AcceptanceList", "One page of acceptances.", {
  acceptances: listOf(Acceptance, "The newest first unless `sort` says otherwise."),
});
export type AcceptanceList = Static<typeof AcceptanceList>;

export const ACCEPTANCE_SORTS = ["organization", "terms", "created"] as const;
export type AcceptanceSort = (typeof ACCEPTANCE_SORTS)[number];

export const AcceptancesQuery = closedQuery({
  org: organizationFilter,
  terms: Type.Optional(Type.String({ ...TermsName, description: "Only this version, or all versions of this name." })),
  ...listParameters(
    ACCEPTANCE_SORTS,
    "the name of the organization, the terms, and the person's name and e-mail address",
  ),
});
export type AcceptancesQuery = Static<typeof AcceptancesQuery>;
