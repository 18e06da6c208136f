import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { Created, Line, listOf, timeOrNull, UpdatedFields } from "./fields.ts";

/** Organizations as operators see them, in /api/operator and `dbdepot-server orgs … --json`. */

export const OperatorOrganization = closedObject(
  "OperatorOrganization",
  "An organization: the holder of licences and keys.",
  {
    id: Type.String(),
    account_id: Type.Integer({ description: "The organization as a number, for the `AccountID` of geoipupdate." }),
    name: Type.String({ description: "Unique name. Accepted wherever an organization id is." }),
    created: Created,
    archived: timeOrNull("When it was archived, or null. The keys of an archived organization are refused."),
  },
);
export type OperatorOrganization = Static<typeof OperatorOrganization>;

export const OrganizationList = closedObject("OrganizationList", "One page of organizations.", {
  organizations: listOf(OperatorOrganization, "Ordered by name."),
});
export type OrganizationList = Static<typeof OrganizationList>;

export const AddOrganizationRequest = closedObject("AddOrganizationRequest", "The organization to add.", {
  name: Line,
});
export type AddOrganizationRequest = Static<typeof AddOrganizationRequest>;

export const UpdateOrganizationRequest = closedObject("UpdateOrganizationRequest", UpdatedFields, {
  name: Type.Optional(Line),
  archived: Type.Optional(Type.Boolean({ description: "Whether its keys are refused." })),
});
export type UpdateOrganizationRequest = Static<typeof UpdateOrganizationRequest>;
