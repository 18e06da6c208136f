import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { Created, FamilyName, listOf, Moment, OrganizationName } from "./fields.ts";
import { closedQuery, pageParameters } from "./queries.ts";

/** The audit log. */

export const AuditEntry = closedObject("AuditEntry", "One change: who made it, and the state before and after.", {
  id: Type.String(),
  actor: Type.String({
    description: "`command:<user>` for the CLI, `key:<prefix>` for the API, `account:<email>` for the console.",
  }),
  action: Type.String({ examples: ["licence.granted"] }),
  subject: Type.String({ description: "Id of the changed resource." }),
  before: Type.Unknown({ description: "State before the change, or null if the resource is new." }),
  after: Type.Unknown({ description: "State after the change." }),
  created: Created,
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditList = closedObject("AuditList", "One page of the audit log.", {
  entries: listOf(AuditEntry, "Newest first."),
});
export type AuditList = Static<typeof AuditList>;

export const AuditQuery = closedQuery({
  subject: Type.Optional(
    Type.String({
      ...OrganizationName,
      description:
        "Only changes to this organization, family, version, build, licence or key, by id. Organizations also by exact name, keys by prefix.",
      examples: ["vpn_ip"],
    }),
  ),
  actor: Type.Optional(
    Type.String({
      ...OrganizationName,
      description:
        "Only changes by this actor: `command:<user>`, `key:<prefix>` or `account:<email>`, exactly as in the log.",
      examples: ["account:ada@example.com"],
    }),
  ),
  action: Type.Optional(
    Type.String({
      ...FamilyName,
      description: "Only this action, such as `licence.granted`, or all actions on one noun, such as `licence`.",
      examples: ["licence"],
    }),
  ),
  since: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only changes at or after this time, for example 2027-01-31 or 2027-01-31T12:00:00Z.",
    }),
  ),
  until: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only changes before this time, for example 2027-02-28 or 2027-02-28T12:00:00Z.",
    }),
  ),
  format: Type.Optional(
    Type.Enum(["json", "csv"], {
      default: "json",
      description: "`csv` returns all matching changes as one file, as does `Accept: text/csv`.",
    }),
  ),
  ...pageParameters,
});
export type AuditQuery = Static<typeof AuditQuery>;
