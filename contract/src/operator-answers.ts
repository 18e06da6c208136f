import Type, { type Static, type TSchema } from "typebox";
import { byFormat } from "./formats.ts";
import {
  AuditEntry,
  OperatorAttempt,
  OperatorBuild,
  OperatorFamily,
  OperatorKey,
  OperatorLegacyKey,
  OperatorLicence,
  OperatorOrganization,
  OperatorVersion,
} from "./operator.ts";
import { closedObject } from "./operator-object.ts";

/** The answers of the operator's addresses that are more than one thing as it is. */

function listOf<S extends TSchema>(items: S, description: string) {
  return Type.Array(items, { description });
}

export const OrganizationList = closedObject("OrganizationList", "One page of the organizations.", {
  organizations: listOf(OperatorOrganization, "In order of their names."),
});
export type OrganizationList = Static<typeof OrganizationList>;

export const FamilyList = closedObject("FamilyList", "All families.", {
  families: listOf(OperatorFamily, "In order of `base`."),
});
export type FamilyList = Static<typeof FamilyList>;

export const VersionList = closedObject("VersionList", "All versions, or one family's.", {
  versions: listOf(OperatorVersion, "In order of family and number."),
});
export type VersionList = Static<typeof VersionList>;

export const LicenceList = closedObject("LicenceList", "One page of the licences.", {
  licences: listOf(OperatorLicence, "In the order in which they were granted."),
});
export type LicenceList = Static<typeof LicenceList>;

export const KeyList = closedObject("KeyList", "One page of the keys.", {
  keys: listOf(OperatorKey, "Newest first, revoked ones included."),
});
export type KeyList = Static<typeof KeyList>;

export const LegacyKeyList = closedObject("LegacyKeyList", "One page of the v1 keys.", {
  legacy_keys: listOf(OperatorLegacyKey, "Newest first, revoked ones included."),
});
export type LegacyKeyList = Static<typeof LegacyKeyList>;

export const AttemptList = closedObject("AttemptList", "One page of the history.", {
  attempts: listOf(OperatorAttempt, "Newest first."),
});
export type AttemptList = Static<typeof AttemptList>;

export const AuditList = closedObject("AuditList", "One page of the audit.", {
  entries: listOf(AuditEntry, "Newest first."),
});
export type AuditList = Static<typeof AuditList>;

export const BuildList = closedObject("BuildList", "All builds of a version.", {
  builds: listOf(OperatorBuild, "Newest first."),
});
export type BuildList = Static<typeof BuildList>;

export const CreatedLegacyKey = closedObject("CreatedLegacyKey", "A new v1 key, with the only sight of its UUID.", {
  ...OperatorLegacyKey.properties,
  key: Type.String({ description: "The UUID that opens v1. No other response ever shows it: store it now." }),
});
export type CreatedLegacyKey = Static<typeof CreatedLegacyKey>;

export const Explanation = closedObject("Explanation", "What a download would answer now, and why.", {
  granted: Type.Boolean(),
  status: Type.Integer({ description: "The status that a download would have." }),
  rc: Type.Union([Type.String(), Type.Null()], { description: "Its result code; null when it would be granted." }),
  reason: Type.String({ description: "In words." }),
  facts: Type.Array(
    closedObject("Fact", "One thing that was looked at.", { name: Type.String(), finding: Type.String() }),
    {
      description: "What was looked at to decide.",
    },
  ),
});
export type Explanation = Static<typeof Explanation>;

export const BuildUpload = closedObject("BuildUpload", "A build, and how far its files have come.", {
  ...OperatorBuild.properties,
  received: byFormat(
    Type.Integer({ format: "int64" }),
    "The bytes that have arrived of a file that is not whole yet: go on from there, by `offset`.",
  ),
});
export type BuildUpload = Static<typeof BuildUpload>;

export const PublishedBuild = closedObject("PublishedBuild", "The build that is handed out from now on.", {
  build_id: Type.String(),
  ...OperatorBuild.properties,
  removed_build_ids: Type.Array(Type.String(), { description: "Builds that were let go of, because of `keep`." }),
});
export type PublishedBuild = Static<typeof PublishedBuild>;

export const RolledBackBuild = closedObject("RolledBackBuild", "The build that is handed out again.", {
  build_id: Type.String(),
  ...OperatorBuild.properties,
});
export type RolledBackBuild = Static<typeof RolledBackBuild>;

export const WithdrawnBuild = closedObject("WithdrawnBuild", "The build that is never handed out again.", {
  ...OperatorBuild.properties,
  current_build_id: Type.Union([Type.String(), Type.Null()], {
    description: "The build that is handed out from now on; null when none is left.",
  }),
});
export type WithdrawnBuild = Static<typeof WithdrawnBuild>;

/** Beside `rc`, the operator is told why: nobody else's data can be learned from it. */
export const OperatorErrorBody = closedObject("OperatorErrorBody", "What went wrong, and why.", {
  rc: Type.String({ description: "A machine-readable code. Tolerate codes that you do not know." }),
  message: Type.Optional(Type.String({ description: "Why, in words, for people." })),
  reason: Type.Optional(
    Type.Enum(["faulty", "suspicious", "overtaken"], {
      description:
        "Why a build was not published. `faulty`: it cannot be. `suspicious`: it can, with `force`. `overtaken`: another build became the current one since it was begun.",
    }),
  ),
  faults: Type.Optional(Type.Array(Type.String(), { description: "All that is wrong with the build." })),
});
export type OperatorErrorBody = Static<typeof OperatorErrorBody>;
