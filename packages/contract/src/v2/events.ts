import Type, { type Static, type TProperties, type TSchema } from "typebox";
import { ApiKey } from "../iam/keys.ts";
import { REQUEST_STATES } from "../shared/choices.ts";
import { DatabaseId } from "../shared/database-id.ts";
import { REDISTRIBUTIONS } from "./catalogue.ts";
import { ChangeCounts } from "./changes.ts";
import { BUCKET_PROBLEMS } from "./destinations.ts";
import { LIMIT_NAMES, LimitUse } from "./limits.ts";
import { DatabaseMetadata } from "./metadata.ts";

export const EVENT_TYPES = [
  "build.published",
  "build.withdrawn",
  "licence.granted",
  "licence.renewed",
  "licence.ending",
  "licence.ended",
  "key.created",
  "key.rotated",
  "key.revoked",
  "key.expiring",
  "access_request.created",
  "access_request.granted",
  "access_request.declined",
  "limit.near",
  "delivery.completed",
  "delivery.failed",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const BuildId = Type.String({ format: "uuid" });
const Time = Type.String({ format: "date-time" });
const DaysLeft = Type.Integer({ description: "How many days before the end the event is sent." });

const publishedBuild = {
  id: DatabaseId,
  build_id: Type.String({ format: "uuid", description: "The build that downloads now return." }),
  previous_build_id: Type.Union([BuildId, Type.Null()], {
    description: "The build that they returned before, or null if it is the first one.",
  }),
  updated: DatabaseMetadata.properties.updated,
  entries: DatabaseMetadata.properties.entries,
  changes: Type.Union([ChangeCounts, Type.Null()], {
    description:
      "How it differs from the previous build, or null if the two have not been compared yet: get it from `/api/v2/database/changes` later.",
  }),
};

const withdrawnBuild = {
  id: DatabaseId,
  build_id: Type.String({ format: "uuid", description: "The build that was withdrawn. Stop using its files." }),
  current_build_id: Type.Union([BuildId, Type.Null()], {
    description: "The build that downloads now return, or null if none is left.",
  }),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: "Why it was withdrawn, or null if no reason was given.",
  }),
};

const licence = {
  id: Type.String({ format: "uuid", description: "Identifies the licence." }),
  base: Type.String({ description: "The family that the licence is for.", examples: ["vpn_ip"] }),
  redistribution: Type.Enum([...REDISTRIBUTIONS], { description: "What the licence allows you to do with the data." }),
  starts: Type.String({ format: "date-time", description: "When the licence starts." }),
  expires: Type.Union([Time, Type.Null()], { description: "When the licence ends, or null if it has no end date." }),
  renews_at: Type.Union([Time, Type.Null()], {
    description: "When your contract renews automatically, or null. It does not extend the licence.",
  }),
};

const key = {
  id: ApiKey.properties.id,
  name: ApiKey.properties.name,
  key_prefix: ApiKey.properties.key_prefix,
  expires: ApiKey.properties.expires,
};

const accessRequest = {
  id: Type.String({ format: "uuid", description: "Identifies the request." }),
  base: Type.String({ description: "The family that your organization asked for.", examples: ["vpn_ip"] }),
  state: Type.Enum([...REQUEST_STATES], { description: "The state of the request." }),
  reply: Type.Union([Type.String(), Type.Null()], {
    description: "The vendor's answer, which may be empty, or null while the request is pending.",
  }),
  licence_id: Type.Union([Type.String({ format: "uuid" }), Type.Null()], {
    description: "The licence that was granted or renewed, or null.",
  }),
};

const nearLimit = {
  limit: Type.Enum([...LIMIT_NAMES], {
    description: "The limit: `downloads_per_day` or `bytes_per_month`.",
    examples: ["downloads_per_day"],
  }),
  used: Type.Integer({ format: "int64", description: "How much of it was used.", examples: [80] }),
  allowed: LimitUse.properties.allowed,
  resets: Type.String({
    format: "date-time",
    description: "When the count starts again at 0.",
    examples: ["2027-02-01T00:00:00.000Z"],
  }),
};

const delivery = {
  destination_id: Type.String({ format: "uuid", description: "The destination." }),
  location: Type.String({ description: "The bucket and the prefix.", examples: ["s3://acme-data/dbdepot"] }),
};

const completedDelivery = {
  ...delivery,
  id: DatabaseId,
  build_id: Type.String({ format: "uuid", description: "The build that `latest.json` in the bucket now names." }),
  files: Type.Integer({ description: "How many files were sent. It is 0 if they were there already." }),
  bytes: Type.Integer({ format: "int64", description: "Their size in bytes." }),
};

const failedDelivery = {
  ...delivery,
  id: Type.String({ description: "The database, or an empty string if the bucket could not be opened." }),
  build_id: Type.Union([BuildId, Type.Null()], { description: "The build, or null." }),
  problem: Type.Enum([...BUCKET_PROBLEMS], { description: "What is wrong.", examples: ["permission"] }),
  error: Type.String({ description: "What is wrong, in a sentence." }),
  paused: Type.Boolean({
    description:
      "Whether dbdepot has given up after 24 hours. Otherwise it tries again, and sends no further events about it.",
  }),
};

/** One schema per type of event: what a webhook receives, and the `data` of an event in the stream. */
export const EVENTS = {
  "build.published": eventOf("build.published", "A build was published or rolled back to.", publishedBuild),
  "build.withdrawn": eventOf("build.withdrawn", "A build was withdrawn.", withdrawnBuild),
  "licence.granted": eventOf("licence.granted", "Your organization was granted a licence.", licence),
  "licence.renewed": eventOf("licence.renewed", "The end of a licence was changed.", licence),
  "licence.ending": eventOf("licence.ending", "A licence ends in 60, 30 or 7 days.", {
    ...licence,
    days_left: DaysLeft,
  }),
  "licence.ended": eventOf("licence.ended", "A licence has ended.", licence),
  "key.created": eventOf("key.created", "A key was created.", key),
  "key.rotated": eventOf("key.rotated", "A key got a new secret.", key),
  "key.revoked": eventOf("key.revoked", "A key was revoked.", key),
  "key.expiring": eventOf("key.expiring", "A key expires in 7 days.", { ...key, days_left: DaysLeft }),
  "access_request.created": eventOf("access_request.created", "Your organization asked for a licence.", accessRequest),
  "access_request.granted": eventOf("access_request.granted", "A request for a licence was granted.", accessRequest),
  "access_request.declined": eventOf("access_request.declined", "A request for a licence was declined.", accessRequest),
  "limit.near": eventOf("limit.near", "Your organization has used 80 % of a limit.", nearLimit),
  "delivery.completed": eventOf("delivery.completed", "A build has arrived in your bucket.", completedDelivery),
  "delivery.failed": eventOf("delivery.failed", "A build could not be delivered to your bucket.", failedDelivery),
} satisfies Record<EventType, TSchema>;

/** An event as customers receive it. */
export type WireEvent = { [T in EventType]: Static<(typeof EVENTS)[T]> }[EventType];

function eventOf<T extends EventType, P extends TProperties>(type: T, description: string, data: P) {
  const name = type.replace(/(^|[._])./g, (start) => start.replace(/[._]/, "").toUpperCase());
  return Type.Object(
    {
      id: Type.String({
        format: "uuid",
        description: "Identifies the event. It stays the same if the event is sent again.",
      }),
      type: Type.Literal(type),
      timestamp: Type.String({ format: "date-time", description: "When it happened." }),
      data: Type.Object(data, { description: "What it is about. More fields may be added." }),
    },
    { title: `${name}Event`, description },
  );
}
