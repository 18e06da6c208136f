import Type, { type Static } from "typebox";

const OUTCOMES = ["ok", "unauthorized", "denied", "expired", "unknown", "unavailable"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The filter of lists of attempts: an outcome, or everything but `ok`. */
export const OUTCOME_FILTERS = [...OUTCOMES, "refused"] as const;
export type OutcomeFilter = (typeof OUTCOME_FILTERS)[number];

export const HISTORY_LIMIT = { minimum: 1, default: 50, maximum: 200 } as const;

export const Download = Type.Object(
  {
    dataset_id: Type.String({ description: "The requested id, truncated to 64 characters." }),
    format: Type.String({ description: "The requested format, truncated to 64 characters." }),
    outcome: Type.Enum([...OUTCOMES], {
      description:
        "Result of the attempt: `ok`, `unauthorized` (401), `denied` or `expired` (403), `unknown` (404), `unavailable` (400, 429 or 503).",
    }),
    bytes: Type.Union([Type.Integer({ format: "int64" }), Type.Null()], {
      description: "Size of the file or patch when the link was issued, or null if the attempt was refused.",
    }),
    http_status: Type.Union([Type.Integer(), Type.Null()], { description: "HTTP status of the response." }),
    apikey_id: Type.Union([Type.String(), Type.Null()], {
      description: "The key that made the request, or null if it could not be resolved.",
    }),
    client_ip: Type.Union([Type.String(), Type.Null()], { description: "Address the request came from." }),
    user_agent: Type.Union([Type.String(), Type.Null()], {
      description: "The client's `User-Agent`, truncated to 512 characters.",
    }),
    created: Type.String({ format: "date-time", description: "When the request arrived." }),
    open: Type.Boolean({ description: "Whether the file was granted from an open database, which needs no licence." }),
    sample: Type.Boolean({ description: "Whether a sample was requested instead of the full file." }),
    patch: Type.Boolean({ description: "Whether a patch was sent instead of the file." }),
  },
  {
    title: "Download",
    additionalProperties: false,
    description: "One download attempt. Refused attempts are included.",
  },
);
export type Download = Static<typeof Download>;

export const DownloadList = Type.Object(
  { downloads: Type.Array(Download, { description: "Your organization's attempts, newest first." }) },
  { title: "DownloadList", additionalProperties: false, description: "One page of the download history." },
);
export type DownloadList = Static<typeof DownloadList>;
