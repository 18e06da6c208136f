import Type, { type Static, type TSchema } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { byFileKind } from "../shared/formats.ts";
import {
  AuditEntry,
  ListedBuild,
  ListedKey,
  ListedVersion,
  OperatorAttempt,
  OperatorBuild,
  OperatorFamily,
  OperatorLegacyKey,
  OperatorLicence,
  OperatorOrganization,
} from "./resources.ts";

/** Responses of the operator API: lists, and results with more than one resource. */

function listOf<S extends TSchema>(items: S, description: string) {
  return Type.Array(items, { description });
}

export const OrganizationList = closedObject("OrganizationList", "One page of organizations.", {
  organizations: listOf(OperatorOrganization, "Ordered by name."),
});
export type OrganizationList = Static<typeof OrganizationList>;

export const FamilyList = closedObject("FamilyList", "All families.", {
  families: listOf(OperatorFamily, "Ordered by `base`."),
});
export type FamilyList = Static<typeof FamilyList>;

export const VersionList = closedObject("VersionList", "All versions, or the versions of one family.", {
  versions: listOf(ListedVersion, "Ordered by family and version number."),
});
export type VersionList = Static<typeof VersionList>;

export const LicenceList = closedObject("LicenceList", "One page of licences.", {
  licences: listOf(OperatorLicence, "In the order they were granted."),
});
export type LicenceList = Static<typeof LicenceList>;

export const KeyList = closedObject("KeyList", "One page of keys.", {
  keys: listOf(ListedKey, "Newest first, including revoked keys."),
});
export type KeyList = Static<typeof KeyList>;

export const LegacyKeyList = closedObject("LegacyKeyList", "One page of v1 keys.", {
  legacy_keys: listOf(OperatorLegacyKey, "Newest first, including revoked keys."),
});
export type LegacyKeyList = Static<typeof LegacyKeyList>;

export const AttemptList = closedObject("AttemptList", "One page of the download history.", {
  attempts: listOf(OperatorAttempt, "Newest first."),
});
export type AttemptList = Static<typeof AttemptList>;

export const AuditList = closedObject("AuditList", "One page of the audit log.", {
  entries: listOf(AuditEntry, "Newest first."),
});
export type AuditList = Static<typeof AuditList>;

export const BuildList = closedObject("BuildList", "All builds of a version.", {
  builds: listOf(ListedBuild, "Newest first."),
});
export type BuildList = Static<typeof BuildList>;

export const CreatedLegacyKey = closedObject(
  "CreatedLegacyKey",
  "A new v1 key. The only response that contains its UUID.",
  {
    ...OperatorLegacyKey.properties,
    key: Type.String({
      description: "The UUID to use as the v1 key. It is returned only in this response, so store it now.",
    }),
  },
);
export type CreatedLegacyKey = Static<typeof CreatedLegacyKey>;

const STEPS = ["organization", "key", "database", "licence", "format", "build"] as const;

const ExplanationStep = closedObject("ExplanationStep", "One check of the decision.", {
  name: Type.Enum([...STEPS], {
    description: "What was checked. `key` is omitted if no key was given, unless the organization has none that works.",
  }),
  result: Type.Enum(["passed", "failed", "not_checked"], {
    description: "`not_checked`: an earlier check had failed.",
  }),
});
export type ExplanationStep = Static<typeof ExplanationStep>;

export const Explanation = closedObject("Explanation", "The response a download would get now, and why.", {
  granted: Type.Boolean(),
  status: Type.Integer({ description: "The HTTP status a download would get." }),
  rc: Type.Union([Type.String(), Type.Null()], {
    description: "The error code, or null if the download would be granted.",
  }),
  reason: Type.String({ description: "Human-readable explanation." }),
  facts: Type.Array(
    closedObject("Fact", "One fact the decision is based on.", { name: Type.String(), finding: Type.String() }),
    {
      description: "The facts the decision is based on.",
    },
  ),
  steps: Type.Array(ExplanationStep, { description: "The checks, in the order they are made. At most one failed." }),
});
export type Explanation = Static<typeof Explanation>;

export const BuildUpload = closedObject("BuildUpload", "A build and the upload progress of its files.", {
  ...OperatorBuild.properties,
  received: byFileKind(
    Type.Integer({ format: "int64" }),
    "Bytes received so far of files that are still incomplete. Resume with `offset`. Samples are optional and appear once their upload has begun.",
  ),
});
export type BuildUpload = Static<typeof BuildUpload>;

export const PublishedBuild = closedObject("PublishedBuild", "The build that is now current.", {
  build_id: Type.String(),
  ...OperatorBuild.properties,
  unchanged: Type.Boolean({
    description:
      "True if the current build already had the same files. Then nothing was published, the new build was deleted, and this is the current build.",
  }),
  removed_build_ids: Type.Array(Type.String(), { description: "Builds whose files were deleted because of `keep`." }),
});
export type PublishedBuild = Static<typeof PublishedBuild>;

export const RolledBackBuild = closedObject("RolledBackBuild", "The build that is current again.", {
  build_id: Type.String(),
  ...OperatorBuild.properties,
});
export type RolledBackBuild = Static<typeof RolledBackBuild>;

export const WithdrawnBuild = closedObject("WithdrawnBuild", "The withdrawn build.", {
  ...OperatorBuild.properties,
  current_build_id: Type.Union([Type.String(), Type.Null()], {
    description: "The build that is now current, or null if none is left.",
  }),
});
export type WithdrawnBuild = Static<typeof WithdrawnBuild>;

/** Operators also get the reason: they may see all data, so the reason reveals nothing new. */
export const OperatorErrorBody = closedObject("OperatorErrorBody", "An error and its reason.", {
  rc: Type.String({ description: "A machine-readable error code. Clients must tolerate unknown codes." }),
  message: Type.Optional(Type.String({ description: "Human-readable explanation." })),
  reason: Type.Optional(
    Type.Enum(["faulty", "suspicious", "overtaken"], {
      description:
        "Why a build was not published. `faulty`: the files are invalid. `suspicious`: it differs too much from the current build or has other columns; `force` overrides. `overtaken`: another build was published in the meantime.",
    }),
  ),
  faults: Type.Optional(Type.Array(Type.String(), { description: "All problems found in the build." })),
});
export type OperatorErrorBody = Static<typeof OperatorErrorBody>;
