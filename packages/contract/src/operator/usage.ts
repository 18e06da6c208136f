import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { usageFacts, usageLine, usagePeriodParameters } from "../v2/usage.ts";
import { listOf, OrganizationId } from "./fields.ts";
import { closedQuery, listParameters, organizationFilter } from "./queries.ts";

/** The downloads of organizations, as operators see them. */

const USAGE_SORTS = ["period", "organization", "database", "downloads", "refused", "bytes", "saved"] as const;
export type UsageSort = (typeof USAGE_SORTS)[number];

/** Without an organization, a report with totals of days is limited to this period. */
export const USAGE_ALL_MAX_DAYS = 31;

export const OperatorUsageLine = closedObject(
  "OperatorUsageLine",
  "What an organization downloaded in a period, without samples.",
  {
    organization_id: OrganizationId,
    organization_name: Type.String({ description: "The organization's name." }),
    ...usageLine,
  },
);
export type OperatorUsageLine = Static<typeof OperatorUsageLine>;

export const OperatorUsageReport = closedObject("OperatorUsageReport", "One page of what organizations downloaded.", {
  usage: listOf(OperatorUsageLine, "Newest day or month first, unless sorted otherwise."),
  ...usageFacts,
});
export type OperatorUsageReport = Static<typeof OperatorUsageReport>;

export const OperatorUsageQuery = closedQuery({
  org: organizationFilter,
  ...usagePeriodParameters,
  format: Type.Optional(
    Type.Enum(["json", "csv"], {
      default: "json",
      description: "`csv` returns all lines as one file, as does `Accept: text/csv`.",
    }),
  ),
  ...listParameters(USAGE_SORTS, "names and ids of organizations"),
});
export type OperatorUsageQuery = Static<typeof OperatorUsageQuery>;
