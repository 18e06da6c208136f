import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { LIMIT_MAX } from "../v2/limits.ts";
import { Created, Line, listOf, textOrNull, timeOrNull, UpdatedFields } from "./fields.ts";
import { closedQuery, listParameters } from "./queries.ts";

/** Organizations as operators see them, in /api/operator and `dbdepot-server orgs … --json`. */

const limitFields = {
  requests_per_minute: limitOf("API requests of all its keys per minute, in each process."),
  downloads_per_day: limitOf("Granted downloads per day, in UTC."),
  bytes_per_month: limitOf("Total size of the files that are granted in a month, in UTC."),
  parallel_streams: limitOf("Files that the API sends to it at the same time, in each process."),
};

const OrganizationLimits = closedObject("OrganizationLimits", "What it may use at most.", limitFields);

const LimitChanges = Type.Partial(OrganizationLimits, {
  title: "LimitChanges",
  additionalProperties: false,
  description: "Limits to change. Omitted ones keep their values.",
});

function limitOf(description: string) {
  return Type.Union([Type.Integer({ minimum: 1, maximum: LIMIT_MAX }), Type.Null()], {
    description: `${description} Null: no limit.`,
    examples: [100],
  });
}

export const OperatorOrganization = closedObject(
  "OperatorOrganization",
  "An organization: the holder of licences and keys.",
  {
    id: Type.String(),
    account_id: Type.Integer({ description: "The organization as a number, for the `AccountID` of geoipupdate." }),
    name: Type.String({ description: "Unique name. Accepted wherever an organization id is." }),
    created: Created,
    archived: timeOrNull("When it was archived, or null. The keys of an archived organization are refused."),
    external_id: textOrNull("Its id in your other systems, or null. Imports find the organization by it."),
    limits: OrganizationLimits,
    link_region: textOrNull("The region of `DBDEPOT_LINK_ORIGINS` that it downloads from, or null for the default."),
  },
);
export type OperatorOrganization = Static<typeof OperatorOrganization>;

export const ListedOrganization = closedObject("ListedOrganization", "An organization and what it has.", {
  ...OperatorOrganization.properties,
  licences: Type.Integer({ description: "Number of live licences." }),
  keys: Type.Integer({ description: "Number of keys that are neither revoked nor expired." }),
  last_download: timeOrNull("When it last downloaded a file, or null if the history has no download of it."),
  next_end: timeOrNull("When the first of its current and future licences ends, or null if none does."),
});
export type ListedOrganization = Static<typeof ListedOrganization>;

export const ORGANIZATION_SORTS = ["name", "created", "licences", "keys", "last_download", "next_end"] as const;
export type OrganizationSort = (typeof ORGANIZATION_SORTS)[number];

export const OrganizationsQuery = closedQuery({
  state: Type.Optional(Type.Enum(["active", "archived"], { description: "Only organizations in this state." })),
  ids: Type.Optional(
    Type.String({
      pattern: "^[0-9a-f-]{36}(,[0-9a-f-]{36}){0,99}$",
      description: "Only the organizations with these ids: up to 100, separated by commas.",
    }),
  ),
  ...listParameters(ORGANIZATION_SORTS, "the name, the id and the external id"),
});
export type OrganizationsQuery = Static<typeof OrganizationsQuery>;

export const OrganizationList = closedObject("OrganizationList", "One page of organizations.", {
  organizations: listOf(ListedOrganization, "Ordered by name unless `sort` says otherwise."),
});
export type OrganizationList = Static<typeof OrganizationList>;

const ExternalId = Type.Union([Line, Type.Null()], {
  description: "Its id in your other systems, up to 100 characters, or null for none.",
});

export const AddOrganizationRequest = closedObject("AddOrganizationRequest", "The organization to add.", {
  name: Line,
  external_id: Type.Optional(ExternalId),
});
export type AddOrganizationRequest = Static<typeof AddOrganizationRequest>;

export const UpdateOrganizationRequest = closedObject("UpdateOrganizationRequest", UpdatedFields, {
  name: Type.Optional(Line),
  archived: Type.Optional(Type.Boolean({ description: "Whether its keys are refused." })),
  external_id: Type.Optional(ExternalId),
  limits: Type.Optional(LimitChanges),
  link_region: Type.Optional(
    Type.Union([Line, Type.Null()], {
      description: "The region of `DBDEPOT_LINK_ORIGINS` that it downloads from, or null for the default.",
    }),
  ),
});
export type UpdateOrganizationRequest = Static<typeof UpdateOrganizationRequest>;
