/** Says in words what an import changes. */
import type { CustomersImport, ImportedChange } from "@dbdepot/contract/operator/customers";
import { LIMIT_NAMES } from "@dbdepot/contract/v2/limits";
import type { Account } from "../access/account.ts";
import type { Key } from "../keys/key.ts";
import type { LegacyKey } from "../legacy-keys/legacy-key.ts";
import type { Licence } from "../licences/licence.ts";
import type { Organization } from "../organizations/organization.ts";
import { KIND_NAMES, RECORD_KINDS, type RecordKind } from "./columns.ts";
import type { Plan, Step } from "./plan.ts";

type Fields = Record<string, string | null>;

const FIELDS = {
  organization: ({ name, archived, limits }: Organization): Fields => ({
    name,
    archived: archived ? "yes" : "no",
    ...Object.fromEntries(LIMIT_NAMES.map((limit) => [limit, limits[limit]?.toString() ?? null])),
  }),
  licence: ({ redistribution, starts, expires, renewsAt, noticeDueAt, externalId, termsId }: Licence): Fields => ({
    redistribution,
    starts: dateOf(starts),
    expires: dateOf(expires),
    renews_at: dateOf(renewsAt),
    notice_due_at: dateOf(noticeDueAt),
    external_id: externalId,
    terms: termsId,
  }),
  account: ({ name, role }: Account): Fields => ({ name: name || null, role }),
  key: ({ name, scopes, cidrs, expires }: Key): Fields => ({
    name,
    scopes: listOf(scopes),
    cidrs: listOf(cidrs),
    expires: dateOf(expires),
  }),
  legacy_key: ({ name, databaseIds, organizationId }: LegacyKey): Fields => ({
    name,
    databases: listOf(databaseIds),
    organization: organizationId,
  }),
};

/** Returns what changes, or undefined if nothing does. */
export function changeOf(step: Step, { secrets }: Plan): ImportedChange | undefined {
  const { kind, line, organization } = step;
  const after = fieldsOf(step, step.after);
  const before = step.before && fieldsOf(step, step.before);
  // The plan names the organization anyway.
  if (!before) delete after.organization;
  const fields = Object.entries(after).flatMap(([field, value]) =>
    (before?.[field] ?? null) === value ? [] : [{ field, before: before?.[field] ?? null, after: value }],
  );
  if (before && fields.length === 0) return undefined;
  const isNewSecret = kind === "key" && secrets.get(step.after.id)?.plain !== undefined;
  return {
    action: before ? "change" : "create",
    kind,
    line,
    organization: organization.name,
    external_id: organization.externalId,
    subject: subjectOf(step),
    fields: fields.filter(({ field, after: value }) => before || !(field === "archived" && value === "no")),
    ...(isNewSecret && { creates_secret: true }),
  };
}

function fieldsOf({ kind }: Step, thing: Step["after"]): Fields {
  return (FIELDS[kind] as (thing: Step["after"]) => Fields)(thing);
}

function subjectOf(step: Step): string {
  if (step.kind === "licence") return step.after.base;
  if (step.kind === "account") return step.after.email;
  return step.before?.name ?? step.after.name;
}

/** The plan as lines like those of a diff. */
export function planToText({ changes, unchanged, left_alone: others }: CustomersImport): string {
  const lines = changes.map(changeToText);
  if (unchanged > 0) lines.push(`= ${unchanged} unchanged`);
  const kept = RECORD_KINDS.flatMap((kind) => (others[kind] > 0 ? [countOf(others[kind], kind)] : []));
  if (kept.length > 0) lines.push(`Not in the file and left alone: ${kept.join(", ")}.`);
  return lines.map((line) => `${line}\n`).join("");
}

function changeToText({
  action,
  kind,
  organization,
  external_id,
  subject,
  fields,
  creates_secret,
}: ImportedChange): string {
  const isOrganization = kind === "organization";
  const what = isOrganization
    ? `${subject}${external_id === null ? "" : ` (${external_id})`}`
    : `${organization} ${subject}`;
  const head = `${action === "create" ? "+" : "~"} ${KIND_NAMES[kind]} ${what}`;
  const details = fields
    .filter(
      ({ field, after }) =>
        action === "change" || (field !== "name" && after !== null) || (kind === "account" && after !== null),
    )
    .map(({ field, before, after }) =>
      action === "create" ? `${field} ${after}` : `${field} ${before ?? "none"} → ${after ?? "none"}`,
    );
  if (creates_secret) details.push("new secret");
  return details.length === 0 ? head : `${head}: ${details.join(", ")}`;
}

/** "2 licences" */
export function countOf(count: number, kind: RecordKind): string {
  return `${count} ${KIND_NAMES[kind]}${count === 1 ? "" : "s"}`;
}

/** A time as people write it, without losing anything. */
export function dateOf(time: Date | null): string | null {
  return time?.toISOString().replace("T00:00:00.000Z", "") ?? null;
}

function listOf(values: readonly string[]): string | null {
  return values.length === 0 ? null : values.join(" ");
}
