import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { CreateDestinationRequest, Destination, DestinationSetup } from "../v2/destinations.ts";
import { OrganizationName } from "./fields.ts";
import { closedQuery, listParameters, organizationFilter } from "./queries.ts";

/** Destinations as operators see them, in /api/operator and `dbdepot-server destinations … --json`. */

export const OperatorDestination = closedObject("OperatorDestination", "A destination of an organization.", {
  organization_id: Type.String({ description: "Organization id." }),
  ...Destination.properties,
});
export type OperatorDestination = Static<typeof OperatorDestination>;

export const DESTINATION_SORTS = ["bucket", "organization", "created", "last_delivered"] as const;
export type DestinationSort = (typeof DESTINATION_SORTS)[number];

export const DestinationsQuery = closedQuery({
  org: organizationFilter,
  ...listParameters(DESTINATION_SORTS, "the bucket, the prefix, the description, the id and the organization"),
});
export type DestinationsQuery = Static<typeof DestinationsQuery>;

export const OperatorDestinationList = closedObject("OperatorDestinationList", "One page of destinations.", {
  destinations: Type.Array(OperatorDestination, { description: "Newest first unless `sort` says otherwise." }),
});
export type OperatorDestinationList = Static<typeof OperatorDestinationList>;

export const OperatorCreateDestinationRequest = closedObject(
  "OperatorCreateDestinationRequest",
  "The destination to create.",
  { org: OrganizationName, ...CreateDestinationRequest.properties },
);
export type OperatorCreateDestinationRequest = Static<typeof OperatorCreateDestinationRequest>;

export const DeletedDestination = closedObject("DeletedDestination", "The destination that was deleted.", {
  id: Type.String({ format: "uuid" }),
});

export const AllowDestinationsRequest = closedObject(
  "AllowDestinationsRequest",
  "Whether builds may be delivered to buckets of the organization.",
  { allowed: Type.Boolean({ description: "Whether deliveries are allowed." }) },
);
export type AllowDestinationsRequest = Static<typeof AllowDestinationsRequest>;

export const OrganizationDestinations = closedObject(
  "OrganizationDestinations",
  "Whether an organization may have builds delivered, and what its policies need.",
  { organization_id: Type.String({ description: "Organization id." }), ...DestinationSetup.properties },
);
export type OrganizationDestinations = Static<typeof OrganizationDestinations>;
