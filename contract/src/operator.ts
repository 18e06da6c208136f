import Type, { type Static } from "typebox";
import { REDISTRIBUTIONS } from "./catalogue.ts";
import { Checksums } from "./checksums.ts";
import { DatabaseId } from "./database-id.ts";
import { Download } from "./downloads.ts";
import { byFormat, Format } from "./formats.ts";

/** What the operator sees: printed by `dbdepot-server … --json`, answered by /api/operator. */

const Time = Type.String({ format: "date-time" });
const TimeOrNull = Type.Union([Time, Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const closed = { additionalProperties: false } as const;

export const OperatorOrganization = Type.Object({ id: Type.String(), name: Type.String(), created: Time }, closed);
export type OperatorOrganization = Static<typeof OperatorOrganization>;

export const OperatorFamily = Type.Object(
  { base: Type.String(), name: Type.String(), visibility: Type.Enum(["public", "private"]), created: Time },
  closed,
);
export type OperatorFamily = Static<typeof OperatorFamily>;

export const OperatorVersion = Type.Object(
  {
    id: DatabaseId,
    base: Type.String(),
    version: Type.Integer(),
    summary: Type.String(),
    formats: Type.Array(Format),
    current_build_id: TextOrNull,
    created: Time,
  },
  closed,
);
export type OperatorVersion = Static<typeof OperatorVersion>;

export const OperatorBuild = Type.Object(
  {
    id: Type.String(),
    version_id: DatabaseId,
    state: Type.Enum(["staged", "published", "withdrawn", "removed"]),
    current: Type.Boolean({ description: "This is the build that is handed out now." }),
    updated: Type.String(),
    entries: Type.Integer(),
    files: byFormat(
      Type.Object({ size_bytes: Type.Integer(), checksums: Checksums }, closed),
      "The file of each format.",
    ),
    created: Time,
    published: TimeOrNull,
    withdrawn: TimeOrNull,
  },
  closed,
);
export type OperatorBuild = Static<typeof OperatorBuild>;

export const OperatorLicence = Type.Object(
  {
    id: Type.String(),
    organization_id: Type.String(),
    base: Type.String(),
    redistribution: Type.Enum([...REDISTRIBUTIONS]),
    starts: Time,
    expires: TimeOrNull,
    state: Type.Enum(["live", "upcoming", "ended"]),
    created: Time,
  },
  closed,
);
export type OperatorLicence = Static<typeof OperatorLicence>;

export const OperatorKey = Type.Object(
  {
    id: Type.String(),
    organization_id: TextOrNull,
    name: Type.String(),
    key_prefix: Type.String(),
    allowed_scopes: Type.Array(Type.String()),
    allowed_cidrs: Type.Array(Type.String()),
    expires: TimeOrNull,
    created: Time,
    last_used: TimeOrNull,
    revoked: TimeOrNull,
  },
  closed,
);
export type OperatorKey = Static<typeof OperatorKey>;

export const OperatorLegacyKey = Type.Object(
  {
    id: Type.String(),
    organization_id: TextOrNull,
    name: Type.String(),
    database_ids: Type.Array(Type.String()),
    created: Time,
    last_used: TimeOrNull,
    revoked: TimeOrNull,
  },
  closed,
);
export type OperatorLegacyKey = Static<typeof OperatorLegacyKey>;

export const OperatorAttempt = Type.Object(
  {
    id: Type.String(),
    api: Type.Enum(["v1", "v2"]),
    organization_id: TextOrNull,
    ...Download.properties,
    cause: Type.Union([Type.String(), Type.Null()], {
      description: "Why exactly it was refused; null when it was not.",
    }),
    build_id: TextOrNull,
  },
  closed,
);
export type OperatorAttempt = Static<typeof OperatorAttempt>;

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    actor: Type.String(),
    action: Type.String(),
    subject: Type.String(),
    before: Type.Unknown(),
    after: Type.Unknown(),
    created: Time,
  },
  closed,
);
export type AuditEntry = Static<typeof AuditEntry>;
