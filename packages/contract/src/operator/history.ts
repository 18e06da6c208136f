import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { Download, OUTCOME_FILTERS } from "../v2/downloads.ts";
import { FamilyName, KeyName, listOf, Moment, OrganizationIdOrNull, RequestId, textOrNull } from "./fields.ts";
import { closedQuery, organizationFilter, pageParameters } from "./queries.ts";

/** The download history as operators see it. */

const APIS = ["v1", "v2", "tables"] as const;

/** Later fields come last, because the CSV export has the columns in this order. */
const { open, sample, patch, ...firstColumns } = Download.properties;

export const OperatorAttempt = closedObject(
  "OperatorAttempt",
  "One download attempt, with the organization and the exact cause of a refusal.",
  {
    id: Type.String(),
    api: Type.Enum([...APIS]),
    organization_id: OrganizationIdOrNull,
    ...firstColumns,
    cause: textOrNull("Exact cause of the refusal, or null if it was granted."),
    build_id: textOrNull("The build that was served, or null if the attempt was refused."),
    open,
    sample,
    key_name: textOrNull(
      "The name of the key, or null if it was not recognized or a person downloaded in the console.",
    ),
    patch,
  },
);
export type OperatorAttempt = Static<typeof OperatorAttempt>;

export const AttemptList = closedObject("AttemptList", "One page of the download history.", {
  attempts: listOf(OperatorAttempt, "Newest first."),
});
export type AttemptList = Static<typeof AttemptList>;

export const HistoryQuery = closedQuery({
  org: organizationFilter,
  key: Type.Optional(Type.String({ ...KeyName, description: "Only this key, by id or prefix (v1 keys by id)." })),
  database: Type.Optional(
    Type.String({ ...FamilyName, description: "Only this requested database id.", examples: ["vpn_ip_v1"] }),
  ),
  request: Type.Optional(
    Type.String({ ...RequestId, description: "Only the request with this id, from `X-Request-Id`." }),
  ),
  outcome: Type.Optional(
    Type.Enum([...OUTCOME_FILTERS], { description: "Only this outcome, or `refused` for all but `ok`." }),
  ),
  api: Type.Optional(Type.Enum([...APIS], { description: "Only this API version." })),
  sample: Type.Optional(Type.Boolean({ description: "Only samples, or only full files." })),
  since: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only attempts at or after this time, for example 2027-01-31 or 2027-01-31T12:00:00Z.",
    }),
  ),
  until: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only attempts before this time, for example 2027-02-28 or 2027-02-28T12:00:00Z.",
    }),
  ),
  format: Type.Optional(
    Type.Enum(["json", "csv"], {
      default: "json",
      description: "`csv` returns all matching attempts as one file, as does `Accept: text/csv`.",
    }),
  ),
  ...pageParameters,
});
export type HistoryQuery = Static<typeof HistoryQuery>;
