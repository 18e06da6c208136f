import Type, { type Static } from "typebox";
import { FamilyName, KeyName, Moment, OrganizationName, RequestId } from "../operator/fields.ts";
import { PageQuery } from "../operator/queries.ts";
import { closedObject } from "../shared/closed-object.ts";
import { Download, OUTCOME_FILTERS } from "../v2/downloads.ts";

/** The download history, in /api/console requests and responses. */

/** The longest period of a usage report. */
export const USAGE_MAX_DAYS = 400;
export const USAGE_DEFAULT_DAYS = 30;

const filters = {
  outcome: Type.Optional(
    Type.Enum([...OUTCOME_FILTERS], { description: "Only this outcome, or `refused` for all but `ok`." }),
  ),
  database: Type.Optional(
    Type.String({ ...FamilyName, description: "Only this requested database id.", examples: ["vpn_ip_v1"] }),
  ),
  key: Type.Optional(Type.String({ ...KeyName, description: "Only this key, by id.", examples: [] })),
};

export const UsageQuery = closedObject("UsageQuery", "What to count.", {
  from: Type.Optional(
    Type.String({
      ...Moment,
      description: `Start of the period, for example 2027-01-01 (default: ${USAGE_DEFAULT_DAYS} days that end with \`to\`).`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      ...Moment,
      description: `End of the period, for example 2027-02-01 for all of January (default: the end of today, UTC). At most ${USAGE_MAX_DAYS} days after \`from\`.`,
    }),
  ),
  organization: Type.Optional(
    Type.String({
      ...OrganizationName,
      description:
        "For operators: only this organization, by id or exact name (default: all). Ignored for others, who see their own.",
    }),
  ),
  ...filters,
  key: Type.Optional(
    Type.String({ ...KeyName, description: "Only this key, by id. For operators also by prefix.", examples: [] }),
  ),
});
export type UsageQuery = Static<typeof UsageQuery>;

const UsageDay = closedObject("UsageDay", "The attempts of one day, in UTC.", {
  date: Type.String({ format: "date", examples: ["2027-01-31"] }),
  ok: Type.Integer({ description: "Number of granted downloads, including samples." }),
  refused: Type.Integer({ description: "Number of refused attempts." }),
  bytes: Type.Integer({ format: "int64", description: "Total size of the granted files." }),
});
export type UsageDay = Static<typeof UsageDay>;

export const Usage = closedObject("Usage", "Download attempts per day.", {
  days: Type.Array(UsageDay, {
    description: "Every day of the period, oldest first, including days without attempts.",
  }),
});
export type Usage = Static<typeof Usage>;

export const ConsoleDownloadsQuery = closedObject("ConsoleDownloadsQuery", "Which attempts to list.", {
  ...filters,
  request: Type.Optional(
    Type.String({ ...RequestId, description: "Only the request with this id, from `X-Request-Id`." }),
  ),
  from: Type.Optional(
    Type.String({ ...Moment, description: "Only attempts at or after this time, for example 2027-01-01." }),
  ),
  to: Type.Optional(Type.String({ ...Moment, description: "Only attempts before this time, for example 2027-02-01." })),
  format: Type.Optional(
    Type.Enum(["json", "csv"], {
      default: "json",
      description: "`csv` returns all matching attempts as one file, as does `Accept: text/csv`.",
    }),
  ),
  ...PageQuery.properties,
});
export type ConsoleDownloadsQuery = Static<typeof ConsoleDownloadsQuery>;

export const ConsoleDownload = closedObject(
  "ConsoleDownload",
  "One download attempt of your organization. Refused attempts are included.",
  {
    id: Type.String(),
    ...Download.properties,
    key_name: Type.Union([Type.String(), Type.Null()], {
      description:
        "The name of the key, or null if a person downloaded in the console. Viewers, who cannot list keys, always get null.",
    }),
    cause: Type.Union([Type.String(), Type.Null()], {
      description: "Exact cause of the refusal, such as `outside_cidrs`, or null if it was granted.",
    }),
  },
);
export type ConsoleDownload = Static<typeof ConsoleDownload>;

export const ConsoleDownloadList = closedObject("ConsoleDownloadList", "One page of the download history.", {
  downloads: Type.Array(ConsoleDownload, { description: "Newest first." }),
});
export type ConsoleDownloadList = Static<typeof ConsoleDownloadList>;
