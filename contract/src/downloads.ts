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
    outcome: Type.Enum([...OUTCOMES], { description: "How the attempt ended." }),
    bytes: Type.Union([Type.Integer(), Type.Null()], {
      description: "The size of the file that was handed out; null for a refusal.",
    }),
    http_status: Type.Union([Type.Integer(), Type.Null()]),
    apikey_id: Type.Union([Type.String(), Type.Null()], {
      description: "The key that made the request; null when it could not be resolved.",
    }),
    client_ip: Type.Union([Type.String(), Type.Null()]),
    user_agent: Type.Union([Type.String(), Type.Null()]),
    created: Type.String({ format: "date-time" }),
  },
  { additionalProperties: false, description: "One attempt to download, refusals included." },
);
export type Download = Static<typeof Download>;

export const DownloadList = Type.Object(
  { downloads: Type.Array(Download, { description: "Attempts of your organization, newest first." }) },
  { additionalProperties: false },
);
export type DownloadList = Static<typeof DownloadList>;
