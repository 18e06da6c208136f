import Type, { type Static } from "typebox";

export const OUTCOMES = ["ok", "unauthorized", "denied", "expired", "unknown", "unavailable"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export function isOutcome(value: unknown): value is Outcome {
  return OUTCOMES.includes(value as Outcome);
}

export const HISTORY_LIMIT = { minimum: 1, default: 50, maximum: 200 } as const;

export const Download = Type.Object(
  {
    dataset_id: Type.String({ description: "The id that was asked for, cut at 64 characters." }),
    format: Type.String({ description: "The format that was asked for, cut at 64 characters." }),
    outcome: Type.Enum([...OUTCOMES], {
      description:
        "How the attempt ended: `ok`, or `unauthorized` (401), `denied` and `expired` (403), `unknown` (404), `unavailable` (400 or 503).",
    }),
    bytes: Type.Union([Type.Integer({ format: "int64" }), Type.Null()], {
      description: "The size of the file that was handed out; null for a refusal.",
    }),
    http_status: Type.Union([Type.Integer(), Type.Null()], { description: "The status of the answer." }),
    apikey_id: Type.Union([Type.String(), Type.Null()], {
      description: "The key that made the request; null when it could not be resolved.",
    }),
    client_ip: Type.Union([Type.String(), Type.Null()], { description: "Where the request came from." }),
    user_agent: Type.Union([Type.String(), Type.Null()], {
      description: "What the client called itself, cut at 512 characters.",
    }),
    created: Type.String({ format: "date-time", description: "When the request arrived." }),
  },
  { title: "Download", additionalProperties: false, description: "One attempt to download, refusals included." },
);
export type Download = Static<typeof Download>;

export const DownloadList = Type.Object(
  { downloads: Type.Array(Download, { description: "Attempts of your organization, newest first." }) },
  { title: "DownloadList", additionalProperties: false, description: "One page of the download history." },
);
export type DownloadList = Static<typeof DownloadList>;
