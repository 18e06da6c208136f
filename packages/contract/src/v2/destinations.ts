import Type, { type Static, type TSchema } from "typebox";
import { BUILDS_KEPT, DESTINATION_PATTERNS as PATTERNS } from "../shared/choices.ts";
import { closedObject } from "../shared/closed-object.ts";
import { DatabaseId } from "../shared/database-id.ts";
import { FORMATS } from "../shared/formats.ts";

export const DESTINATIONS_PER_ORGANIZATION = 5;
export const DESTINATION_DESCRIPTION_MAX_LENGTH = 200;

/** How the service is let into the bucket. */
const ACCESS_WAYS = ["vendor", "role", "keys"] as const;
export type AccessWay = (typeof ACCESS_WAYS)[number];

export const ENCRYPTIONS = ["AES256", "aws:kms"] as const;
export const PAUSE_REASONS = ["manual", "failing"] as const;
export const BUCKET_DELIVERY_OUTCOMES = ["delivered", "failed", "refused", "withdrawn"] as const;

/** What is wrong if the service cannot read or write a bucket. */
export const BUCKET_PROBLEMS = [
  "address",
  "connection",
  "clock",
  "credentials",
  "role",
  "bucket",
  "region",
  "permission",
  "encryption",
  "space",
  "ownership",
  "integrity",
  "response",
] as const;
export type BucketProblem = (typeof BUCKET_PROBLEMS)[number];

/** What a test of a destination does, in this order. */
export const TEST_STEPS = ["ownership", "write", "read", "delete"] as const;

const orNull = <S extends TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const Bucket = Type.String({
  pattern: PATTERNS.bucket,
  description: "The name of the bucket.",
  examples: ["acme-data"],
});
const Prefix = Type.String({
  maxLength: 200,
  pattern: PATTERNS.prefix,
  description: "The folder in the bucket, or an empty string for its root.",
  examples: ["dbdepot"],
});
const Region = Type.String({
  pattern: PATTERNS.region,
  description: "The region of the bucket.",
  examples: ["eu-west-1"],
});
const Endpoint = orNull(
  Type.String({ minLength: 1, maxLength: 200 }),
  "The address of the storage, such as `https://s3.example.com`, or null for AWS.",
);
const Description = Type.String({
  maxLength: DESTINATION_DESCRIPTION_MAX_LENGTH,
  description: `A line of text about what it is for, up to ${DESTINATION_DESCRIPTION_MAX_LENGTH} characters.`,
});
const Access = Type.Enum([...ACCESS_WAYS], {
  description:
    "`vendor`: the bucket's policy allows the vendor's identity. `role`: the service assumes a role of your account. `keys`: the service uses an access key that you give it.",
});
const RoleArn = Type.String({
  maxLength: 300,
  pattern: PATTERNS.roleArn,
  description: "The role to assume.",
  examples: ["arn:aws:iam::123456789012:role/dbdepot-delivery"],
});
const AccessKeyId = Type.String({ pattern: PATTERNS.accessKeyId, description: "The id of the access key." });
const Encryption = orNull(
  Type.Enum([...ENCRYPTIONS]),
  "The server-side encryption to ask for, if the bucket's policy requires one, or null for the bucket's default.",
);
const Families = orNull(
  Type.Array(Type.String({ pattern: PATTERNS.family }), { minItems: 1, maxItems: 200 }),
  "The families to deliver, or null for all that your organization may download.",
);
const Formats = orNull(
  Type.Array(Type.Enum([...FORMATS]), { minItems: 1, maxItems: FORMATS.length }),
  "The formats to deliver, or null for all.",
);
const Keep = Type.Integer({
  minimum: BUILDS_KEPT.minimum,
  maximum: BUILDS_KEPT.maximum,
  description: "How many builds of each database to keep in the bucket, the current one included.",
});
const Time = Type.String({ format: "date-time" });

const settings = {
  bucket: Bucket,
  prefix: Type.Optional(Prefix),
  region: Region,
  endpoint: Type.Optional(Endpoint),
  access: Access,
  role_arn: Type.Optional(RoleArn),
  access_key_id: Type.Optional(AccessKeyId),
  secret_access_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: "The secret of the access key. It is stored encrypted, and no response contains it.",
    }),
  ),
  encryption: Type.Optional(Encryption),
  description: Type.Optional(Description),
  families: Type.Optional(Families),
  formats: Type.Optional(Formats),
  keep: Type.Optional(Keep),
};

export const CreateDestinationRequest = closedObject(
  "CreateDestinationRequest",
  "The bucket to deliver builds to.",
  settings,
);
export type CreateDestinationRequest = Static<typeof CreateDestinationRequest>;

export const UpdateDestinationRequest = Type.Object(
  {
    ...settings,
    bucket: Type.Optional(Bucket),
    region: Type.Optional(Region),
    access: Type.Optional(Access),
    enabled: Type.Optional(Type.Boolean({ description: "Whether builds are delivered." })),
  },
  {
    title: "UpdateDestinationRequest",
    additionalProperties: false,
    minProperties: 1,
    description:
      "Fields to change. Omitted fields keep their values. After a change of the bucket, the prefix or the endpoint, ownership must be proved again.",
  },
);
export type UpdateDestinationRequest = Static<typeof UpdateDestinationRequest>;

const Ownership = closedObject("DestinationOwnership", "The object that proves that the bucket is yours.", {
  key: Type.String({ description: "The name of the object to put into the bucket." }),
  content: Type.String({ description: "Its content." }),
  verified: orNull(Time, "When the service last found it, or null if it has not yet."),
});

export const Destination = closedObject("Destination", "A bucket that builds are delivered to.", {
  id: Type.String({ format: "uuid", description: "Identifies the destination." }),
  bucket: Type.String({ description: "The name of the bucket." }),
  prefix: Type.String({ description: "The folder in the bucket, or an empty string for its root." }),
  region: Type.String({ description: "The region of the bucket." }),
  endpoint: orNull(Type.String(), "The address of the storage, or null for AWS."),
  access: Access,
  role_arn: orNull(Type.String(), "The role that is assumed, or null."),
  access_key_id: orNull(Type.String(), "The id of the access key, or null."),
  encryption: Encryption,
  description: Type.String({ description: "What it is for." }),
  families: orNull(Type.Array(Type.String()), "The families that are delivered, or null for all."),
  formats: orNull(Type.Array(Type.String()), "The formats that are delivered, or null for all."),
  keep: Keep,
  ownership: Ownership,
  enabled: Type.Boolean({ description: "Whether builds are delivered." }),
  paused: orNull(Time, "When it was paused, or null."),
  paused_reason: orNull(
    Type.Enum([...PAUSE_REASONS]),
    "`manual`: a person or program paused it. `failing`: no delivery succeeded for 24 hours. Null if it is enabled.",
  ),
  failing_since: orNull(Time, "The first failed delivery since the last success, or null."),
  error: orNull(Type.String(), "Why the last delivery failed, or null if it succeeded."),
  last_delivered: orNull(Time, "When a build was last delivered, or null."),
  databases: Type.Array(
    closedObject("DeliveredDatabase", "A database in the bucket.", {
      id: DatabaseId,
      build_id: orNull(Type.String({ format: "uuid" }), "The build that `latest.json` names, or null if none is left."),
      refused: orNull(Type.String(), "The error code that a download of the current build would get, or null."),
    }),
    { description: "What is in the bucket." },
  ),
  created: Type.String({ format: "date-time", description: "When the destination was created." }),
});
export type Destination = Static<typeof Destination>;

export const DestinationSetup = closedObject("DestinationSetup", "What a new destination needs to know.", {
  allowed: Type.Boolean({ description: "Whether the vendor delivers builds to buckets of your organization." }),
  ways: Type.Array(Access, { description: "How the service can be let into a bucket." }),
  principal: orNull(
    Type.String(),
    "The vendor's identity, for the policy of a bucket or role, or null if the vendor has none.",
  ),
  external_id: orNull(
    Type.String(),
    "The external id that the trust policy of a role must require, or null if deliveries have never been allowed.",
  ),
  endpoint: orNull(Type.String(), "The storage in which the vendor's identity is known besides AWS, or null."),
});
export type DestinationSetup = Static<typeof DestinationSetup>;

export const DestinationList = closedObject("DestinationList", "Your organization's destinations.", {
  destinations: Type.Array(Destination, { description: "Newest first." }),
  setup: DestinationSetup,
});
export type DestinationList = Static<typeof DestinationList>;

export const DestinationTest = closedObject("DestinationTest", "The result of a test.", {
  ok: Type.Boolean({ description: "Whether every step succeeded." }),
  steps: Type.Array(
    closedObject("DestinationTestStep", "One step of a test.", {
      step: Type.Enum([...TEST_STEPS], { description: "What was tried." }),
      ok: Type.Boolean({ description: "Whether it succeeded." }),
      problem: orNull(Type.Enum([...BUCKET_PROBLEMS]), "What is wrong, or null."),
      error: orNull(Type.String(), "What is wrong and what to do, in a sentence, or null."),
    }),
    { description: "The steps in order. A step that fails is the last one." },
  ),
});
export type DestinationTest = Static<typeof DestinationTest>;

export const BucketDelivery = closedObject("BucketDelivery", "One delivery to a bucket.", {
  id: Type.String({ format: "uuid", description: "Identifies the delivery." }),
  database_id: Type.String({ description: "The database.", examples: ["vpn_ip_v1"] }),
  build_id: orNull(Type.String({ format: "uuid" }), "The build, or null if the last one was withdrawn."),
  outcome: Type.Enum([...BUCKET_DELIVERY_OUTCOMES], {
    description:
      "`delivered`: the build arrived and `latest.json` names it. `failed`: it is tried again. `refused`: your organization may not download it. `withdrawn`: `latest.json` names no build any more.",
  }),
  files: Type.Integer({ minimum: 0, description: "How many files were sent." }),
  bytes: Type.Integer({ minimum: 0, format: "int64", description: "Their size in bytes." }),
  problem: orNull(Type.Enum([...BUCKET_PROBLEMS]), "What is wrong, if it failed and the bucket is the cause, or null."),
  error: orNull(Type.String(), "Why it failed or was refused, or null."),
  duration_ms: Type.Integer({ minimum: 0, description: "How long it took, in milliseconds." }),
  created: Type.String({ format: "date-time", description: "When it ended." }),
});
export type BucketDelivery = Static<typeof BucketDelivery>;

export const BucketDeliveryList = closedObject("BucketDeliveryList", "One page of deliveries to a bucket.", {
  deliveries: Type.Array(BucketDelivery, { description: "Newest first, for 30 days." }),
});
export type BucketDeliveryList = Static<typeof BucketDeliveryList>;

/** The content of `latest.json`. */
export const LatestMarker = Type.Object({
  format: Type.Literal(1),
  id: DatabaseId,
  build_id: orNull(Type.String(), "The build that is complete, or null if the vendor has withdrawn the last one."),
  published: orNull(Type.String(), "When it was published."),
  updated: orNull(Type.String(), "The date of its data."),
  entries: orNull(Type.Integer(), "How many entries it has."),
  sequence: orNull(Type.Integer(), "The position of the manifest in the vendor's chain."),
  files: Type.Array(
    Type.Object({
      path: Type.String({ description: "Relative to the prefix." }),
      kind: Type.String({ description: "`csvgz`, `mmdb` or `metadata`." }),
      size_bytes: Type.Integer(),
      sha256: Type.String(),
    }),
  ),
});
export type LatestMarker = Static<typeof LatestMarker>;
