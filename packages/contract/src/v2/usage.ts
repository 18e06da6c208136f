import Type, { type Static } from "typebox";

/** The downloads of one organization, in totals that stay when the history is deleted. */

export const USAGE_BY = ["day", "month", "database"] as const;
export type UsageBy = (typeof USAGE_BY)[number];

export function isUsageBy(text: string): text is UsageBy {
  return (USAGE_BY as readonly string[]).includes(text);
}

/** The longest period of a report with totals of days. */
export const USAGE_REPORT_MAX_DAYS = 400;

const period = {
  from: Type.Optional(
    Type.String({
      maxLength: 50,
      description:
        "First day, for example 2027-01-01 (default: the first day of the month before `to`; by month, of the year before `to`).",
      examples: ["2027-01-01"],
    }),
  ),
  to: Type.Optional(
    Type.String({
      maxLength: 50,
      description: "The day after the last one, for example 2027-02-01 for all of January (default: tomorrow, UTC).",
      examples: ["2027-02-01"],
    }),
  ),
  by: Type.Optional(
    Type.Enum([...USAGE_BY], {
      default: "month",
      description:
        "One line per day, per month, or per database and format. By month, all months that the period touches are reported as a whole.",
    }),
  ),
};

export const usagePeriodParameters = period;

const count = (description: string) => Type.Integer({ format: "int64", minimum: 0, description });

const usageCounts = {
  first_downloads: count("Builds that your organization had never downloaded before in that format."),
  repeats: count("All other granted downloads: the same build again, and each request of a resumed download."),
  refused: count("Refused attempts."),
  bytes: count("Bytes handed out: the size of the file or patch for a link, the bytes sent for a stream."),
  saved_bytes: count(
    "Bytes saved by patches: by how much the files are larger than the patches, compressed copies and changed rows sent instead.",
  ),
  keys: count("Different keys that were used on a day. For longer periods: the largest number on one day."),
  addresses: count("Different client addresses on a day. For longer periods: the largest number on one day."),
};

const nullable = (description: string, examples: string[]) =>
  Type.Union([Type.String({ examples }), Type.Null()], { description });

export const usageLine = {
  period: nullable("The day (2027-01-31) or the month (2027-01), in UTC. Null by database.", ["2027-01"]),
  dataset_id: nullable(
    "The database. Null unless by database. Empty for requests that named no database you can see.",
    ["vpn_ip_v1"],
  ),
  format: nullable("The format. Null unless by database.", ["mmdb"]),
  ...usageCounts,
  closed: Type.Boolean({
    description: "Whether these numbers are final. A day is final three days after its end, a month with its last day.",
  }),
};

export const UsageCounts = Type.Object(usageCounts, {
  title: "UsageCounts",
  additionalProperties: false,
  description: "The sum of all lines. `keys` and `addresses` are the largest number on one day.",
});
export type UsageCounts = Static<typeof UsageCounts>;

export const UsageLine = Type.Object(usageLine, {
  title: "UsageLine",
  additionalProperties: false,
  description: "What your organization downloaded in a period, without samples.",
});
export type UsageLine = Static<typeof UsageLine>;

export const usageFacts = {
  from: Type.String({ format: "date", description: "First day of the report." }),
  to: Type.String({ format: "date", description: "The day after its last one." }),
  totals: UsageCounts,
  final_until: Type.Union([Type.String({ format: "date" }), Type.Null()], {
    description: "The first day whose numbers may still change, or null before the first update.",
  }),
  updated: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
    description: "The time up to which downloads are counted, or null before the first update.",
  }),
};

export const UsageReport = Type.Object(
  {
    usage: Type.Array(UsageLine, {
      description: "Newest day or month first, databases by their id. Periods without requests are left out.",
    }),
    ...usageFacts,
  },
  { title: "UsageReport", additionalProperties: false, description: "What your organization downloaded." },
);
export type UsageReport = Static<typeof UsageReport>;

export const UsageReportQuery = Type.Object({
  ...period,
  format: Type.Optional(
    Type.Enum(["json", "csv"], {
      default: "json",
      description: "`csv` returns a CSV file, as does `Accept: text/csv`.",
    }),
  ),
});
