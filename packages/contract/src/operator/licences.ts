import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { REDISTRIBUTIONS } from "../v2/catalogue.ts";
import {
  Base,
  Created,
  End,
  FamilyName,
  listOf,
  Moment,
  OrganizationId,
  OrganizationName,
  TermsName,
  Time,
  textOrNull,
  timeOrNull,
} from "./fields.ts";
import { closedQuery, listParameters, organizationFilter } from "./queries.ts";

/** Licences as operators see them. */

export const LICENCE_STATES = ["live", "upcoming", "ended"] as const;
export type LicenceState = (typeof LICENCE_STATES)[number];

export const OperatorLicence = closedObject("OperatorLicence", "An organization's licence for a family.", {
  id: Type.String(),
  organization_id: OrganizationId,
  base: Base,
  redistribution: Type.Enum([...REDISTRIBUTIONS], {
    description: "What the licence allows the customer to do with the data.",
  }),
  starts: Time,
  expires: timeOrNull("When the licence ends, or null if it has no end date."),
  state: Type.Enum([...LICENCE_STATES], { description: "Current state." }),
  created: Created,
  renews_at: timeOrNull(
    "The date on which the contract renews automatically, or null. It does not extend the licence.",
  ),
  notice_due_at: timeOrNull("Until when notice can be given so that the contract does not renew, or null."),
  external_id: textOrNull("Its id in your other systems, or null. Set by an import."),
  terms: textOrNull(
    "The terms that the organization must accept before it can download, like data-licence@2, or null.",
  ),
});
export type OperatorLicence = Static<typeof OperatorLicence>;

export const LicenceList = closedObject("LicenceList", "One page of licences.", {
  licences: listOf(OperatorLicence, "In the order they were granted unless `sort` says otherwise."),
});
export type LicenceList = Static<typeof LicenceList>;

export const LICENCE_SORTS = ["organization", "base", "starts", "expires", "created"] as const;
export type LicenceSort = (typeof LICENCE_SORTS)[number];

/** A kind of licence, or all kinds but evaluations. */
export const LICENCE_KINDS = [...REDISTRIBUTIONS, "contract"] as const;
export type LicenceKind = (typeof LICENCE_KINDS)[number];

export const LicencesQuery = closedQuery({
  org: organizationFilter,
  base: Type.Optional(Type.String({ ...FamilyName, description: "Only this family." })),
  redistribution: Type.Optional(
    Type.Enum([...LICENCE_KINDS], {
      description: "Only licences of this kind. `contract` means all kinds but evaluations.",
    }),
  ),
  state: Type.Optional(Type.Enum([...LICENCE_STATES], { description: "Only licences in this state." })),
  ends_before: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only current and future licences that end before this time, for example 2027-01-31.",
    }),
  ),
  ...listParameters(LICENCE_SORTS, "the name of the organization, the family and the id"),
});
export type LicencesQuery = Static<typeof LicencesQuery>;

const RenewsAt = Type.Union([Moment, Type.Null()], {
  description: "The date on which the contract renews automatically, or null. It does not extend the licence.",
});

const NoticeDueAt = Type.Union([Moment, Type.Null()], {
  description: "The last date on which notice can be given to prevent the renewal, or null. Not after `renews_at`.",
});

const RequiredTerms = Type.Union([TermsName, Type.Null()], {
  description:
    "The terms that the organization must accept before it can download: a version like data-licence@2, or a name like data-licence for its newest version. Null for none.",
});

export const GrantLicenceRequest = closedObject("GrantLicenceRequest", "The licence to grant.", {
  org: OrganizationName,
  base: FamilyName,
  redistribution: Type.Enum([...REDISTRIBUTIONS], {
    description: "What the licence allows the customer to do with the data.",
  }),
  starts: Type.Optional(Type.String({ ...Moment, description: "Start time (default: now)." })),
  expires: Type.Optional(
    Type.Union(End.anyOf, {
      description:
        "End time, or null for no end (default: no end; for an evaluation, the configured number of days, normally 30).",
    }),
  ),
  renews_at: Type.Optional(RenewsAt),
  notice_due_at: Type.Optional(NoticeDueAt),
  terms: Type.Optional(RequiredTerms),
});
export type GrantLicenceRequest = Static<typeof GrantLicenceRequest>;

export const RenewLicenceRequest = closedObject(
  "RenewLicenceRequest",
  "The fields to change, at least one. Omitted fields stay as they are.",
  {
    expires: Type.Optional(End),
    renews_at: Type.Optional(RenewsAt),
    notice_due_at: Type.Optional(NoticeDueAt),
    terms: Type.Optional(RequiredTerms),
  },
);
export type RenewLicenceRequest = Static<typeof RenewLicenceRequest>;
