import type { CustomersImport, NewSecret } from "@dbdepot/contract/operator/customers";
import { LineFaults } from "../../platform/primitives/bad-lines.ts";
import type { Account } from "../access/account.ts";
import { applyAccountChange } from "../accounts/accounts.ts";
import { record } from "../audit/audit.ts";
import type { AuditEntry } from "../audit/entry.ts";
import type { Event } from "../events/event.ts";
import { announce } from "../events/events.ts";
import { keyEvent } from "../keys/events.ts";
import { applyKeyChange } from "../keys/keys.ts";
import { applyLegacyKeyChange, auditable } from "../legacy-keys/legacy-keys.ts";
import { licenceEvent } from "../licences/events.ts";
import type { Licence } from "../licences/licence.ts";
import { applyLicenceChange } from "../licences/licences.ts";
import type { Organization } from "../organizations/organization.ts";
import { applyOrganizationChange } from "../organizations/organizations.ts";
import { settleRequests } from "../requests/settle.ts";
import type { Operation, Tables } from "../store.ts";
import { checkRecords } from "./check.ts";
import type { RawRecord, RecordKind } from "./columns.ts";
import { parseCustomersCsv } from "./csv-file.ts";
import { changeOf } from "./diff.ts";
import { checkReferences, loadExisting } from "./existing.ts";
import { parseCustomersJson } from "./json-file.ts";
import { type Plan, planImport, type Step } from "./plan.ts";
import type { CustomerRecords } from "./record.ts";

export type CustomerFormat = "csv" | "json";

/** A file that is about to be imported. */
export interface CustomerFile {
  bytes: Buffer;
  format: CustomerFormat;
  maxRecords: number;
}

interface ImportOptions {
  isDryRun: boolean;
  /** Stores the secrets of new keys before the import is committed, because they cannot be shown again. */
  keepSecrets?(secrets: readonly NewSecret[]): Promise<void>;
}

export interface Imported {
  result: CustomersImport;
  newAccounts: Account[];
}

interface CheckedFile {
  raw: readonly RawRecord[];
  /** The records without faults. */
  records: CustomerRecords;
  faults: LineFaults;
}

/** Imports everything in the file, or nothing if anything is wrong with it. Throws BadLines with every fault. */
export async function importCustomers(
  operation: Operation,
  file: CustomerFile,
  { isDryRun, keepSecrets }: ImportOptions,
): Promise<Imported> {
  const checked = checkFile(file);
  if (isDryRun) return { result: resultOf(await makePlan(operation.store, operation, checked), true), newAccounts: [] };
  return operation.store.change(async (tables) => {
    const plan = await makePlan(tables, operation, checked);
    const result = resultOf(plan, false);
    if (result.changes.length > 0) await apply(tables, operation, plan, result);
    if (result.secrets.length > 0) await keepSecrets?.(result.secrets);
    const newAccounts = plan.steps.flatMap((step) => (step.kind === "account" && !step.before ? [step.after] : []));
    return { result, newAccounts };
  });
}

function checkFile({ bytes, format, maxRecords }: CustomerFile): CheckedFile {
  const faults = new LineFaults();
  const parse = format === "csv" ? parseCustomersCsv : parseCustomersJson;
  const raw: RawRecord[] = parse(bytes, faults, maxRecords);
  return { raw, records: checkRecords(raw, faults), faults };
}

async function makePlan(tables: Tables, operation: Operation, { raw, records, faults }: CheckedFile): Promise<Plan> {
  const existing = await loadExisting(tables, raw, records);
  checkReferences(raw, existing, faults);
  const plan = planImport(records, { existing, faults }, operation);
  faults.throwIfAny();
  return plan;
}

function resultOf(plan: Plan, isDryRun: boolean): CustomersImport {
  const changes = plan.steps.flatMap((step) => changeOf(step, plan) ?? []).toSorted((a, b) => a.line - b.line);
  return {
    dry_run: isDryRun,
    changes,
    unchanged: plan.steps.length - changes.length,
    left_alone: plan.others,
    secrets: isDryRun ? [] : newSecrets(plan),
  };
}

function newSecrets({ steps, secrets }: Plan): NewSecret[] {
  return steps.flatMap((step) => {
    const { organization } = step;
    const plain = step.kind === "key" ? secrets.get(step.after.id)?.plain : undefined;
    if (step.kind !== "key" || !plain) return [];
    return {
      organization: organization.externalId,
      organization_name: organization.name,
      name: step.after.name,
      key_prefix: plain.prefix,
      key: plain.reveal(),
    };
  });
}

/** Writes the plan. Most of what it writes is collected first, so that it takes few statements. */
async function apply(tables: Tables, operation: Operation, plan: Plan, result: CustomersImport): Promise<void> {
  const entries: AuditEntry[] = [];
  const events: Omit<Event, "revision">[] = [];
  const organizations: Organization[] = [];
  const licences: Licence[] = [];
  // Every new or renewed licence looks for requests that it settles. Few organizations have any.
  const pending = await tables.requests.list({ state: "pending" });
  const asking = new Set(pending.map(({ organizationId }) => organizationId));
  const collecting: Tables = {
    ...tables,
    audit: { ...tables.audit, insert: async (entry) => void entries.push(entry) },
    events: { ...tables.events, insert: async (event) => void events.push(event) },
    organizations: { ...tables.organizations, update: async (after) => void organizations.push(after) },
    licences: { ...tables.licences, update: async (after) => void licences.push(after) },
    requests: {
      ...tables.requests,
      list: async (filter) => (asking.has(filter.organizationId ?? "") ? tables.requests.list(filter) : []),
    },
  };
  const created = plan.steps.filter(({ before }) => !before);
  const newOrganizations = new Set(created.flatMap(({ kind, after }) => (kind === "organization" ? [after.id] : [])));
  await tables.customers.insert({
    organizations: ofKind(created, "organization"),
    licences: ofKind(created, "licence"),
    accounts: ofKind(created, "account"),
    keys: ofKind(created, "key").flatMap((key) => {
      const secret = plan.secrets.get(key.id)?.secret;
      return secret ? [{ key, secret }] : [];
    }),
    legacyKeys: ofKind(created, "legacy_key"),
  });
  const { changes } = result;
  const counts = countByKind(changes);
  await record(collecting, operation, { action: "customers.imported", subject: "customers", after: counts });
  for (const step of created) await recordNew(collecting, operation, step, newOrganizations);
  for (const step of plan.steps)
    if (step.before && changeOf(step, plan)) await applyChange(collecting, operation, step);
  await tables.customers.update({ organizations, licences });
  await tables.customers.insertEntries(entries, events);
}

function ofKind<Kind extends RecordKind>(steps: readonly Step[], kind: Kind) {
  return steps.flatMap((step) => (step.kind === kind ? [step.after as Extract<Step, { kind: Kind }>["after"]] : []));
}

/** A new organization has no webhooks or listeners yet, and its licences are not news to it. */
async function recordNew(
  tables: Tables,
  operation: Operation,
  step: Step,
  newOrganizations: ReadonlySet<string>,
): Promise<void> {
  const { kind, after } = step;
  const isKnown = !newOrganizations.has(step.organization.id);
  const subject = after.id;
  switch (kind) {
    case "organization":
      return record(tables, operation, { action: "organization.added", subject, after });
    case "licence":
      await record(tables, operation, { action: "licence.granted", subject, after });
      if (!isKnown) return;
      await announce(tables, operation, licenceEvent("licence.granted", after));
      return settleRequests(tables, operation, after);
    case "account":
      return record(tables, operation, { action: "account.invited", subject, after });
    case "key":
      await record(tables, operation, { action: "key.created", subject, after });
      if (isKnown) {
        await announce(tables, operation, keyEvent("key.created", { ...after, organizationId: step.organization.id }));
      }
      return;
    case "legacy_key":
      return record(tables, operation, { action: "legacy_key.created", subject, after: auditable(after) });
  }
}

async function applyChange(tables: Tables, operation: Operation, step: Step): Promise<void> {
  switch (step.kind) {
    case "organization":
      if (step.before) await applyOrganizationChange(tables, operation, step.before, step.after);
      return;
    case "licence":
      if (step.before) {
        const action = licenceAction(step.before, step.after, operation.now);
        await applyLicenceChange(tables, operation, step.before, step.after, action);
      }
      return;
    case "account":
      if (step.before) await applyAccountChange(tables, operation, step.before, step.after);
      return;
    case "key":
      if (step.before) await applyKeyChange(tables, operation, step.before, step.after, "key.updated");
      return;
    case "legacy_key":
      if (step.before) await applyLegacyKeyChange(tables, operation, step.before, step.after);
  }
}

/** A later end is a renewal. */
function licenceAction(before: Licence, after: Licence, now: Date) {
  if (before.expires?.getTime() === after.expires?.getTime()) return "licence.updated";
  if (after.expires === null || after.expires > now) return "licence.renewed";
  return before.expires === null || before.expires > now ? "licence.ended" : "licence.updated";
}

function countByKind(changes: CustomersImport["changes"]): Record<"created" | "changed", Record<string, number>> {
  const count = (action: "create" | "change") => {
    const kinds = changes.filter((change) => change.action === action).map(({ kind }) => kind);
    return Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, each]) => [kind, each.length]));
  };
  return { created: count("create"), changed: count("change") };
}
