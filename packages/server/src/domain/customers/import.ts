import type { CustomersImport, NewSecret } from "@dbdepot/contract/operator/customers";
import { LineFaults } from "../../platform/primitives/bad-lines.ts";
import type { Account } from "../access/account.ts";
import { applyAccountChange } from "../accounts/accounts.ts";
import { record } from "../audit/audit.ts";
import { announce } from "../events/events.ts";
import { keyEvent } from "../keys/events.ts";
import { applyKeyChange } from "../keys/keys.ts";
import { applyLegacyKeyChange, auditable } from "../legacy-keys/legacy-keys.ts";
import { licenceEvent } from "../licences/events.ts";
import type { Licence } from "../licences/licence.ts";
import { type LicenceAction, writeLicenceChange } from "../licences/licences.ts";
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
    skipped: plan.skipped.map(({ line, organization, email }) => ({ line, organization: organization.name, email })),
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

/** Writes the plan, with few statements. */
async function apply(tables: Tables, operation: Operation, plan: Plan, result: CustomersImport): Promise<void> {
  const created = plan.steps.filter(({ before }) => !before);
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
  const after = countByKind(result.changes);
  // Every new or renewed licence settles requests. Few organizations have any.
  const pending = await tables.requests.list({ state: "pending" });
  const known: Known = {
    created: new Set(ofKind(created, "organization").map(({ id }) => id)),
    asking: new Set(pending.map(({ organizationId }) => organizationId)),
  };
  await tables.customers.inBatch(async (batched) => {
    await record(batched, operation, { action: "customers.imported", subject: "customers", after });
    for (const step of created) await recordNew(batched, operation, step, known);
    for (const step of plan.steps) {
      if (step.before && changeOf(step, plan)) await applyChange(batched, operation, step, known);
    }
  });
}

/** The organizations that are new, and those that wait for the answer to a request. */
interface Known {
  created: ReadonlySet<string>;
  asking: ReadonlySet<string>;
}

function ofKind<Kind extends RecordKind>(steps: readonly Step[], kind: Kind) {
  return steps.flatMap((step) => (step.kind === kind ? [step.after as Extract<Step, { kind: Kind }>["after"]] : []));
}

/** A new organization has no webhooks or listeners yet, and its licences are not news to it. */
async function recordNew(tables: Tables, operation: Operation, step: Step, { created, asking }: Known): Promise<void> {
  const { kind, after } = step;
  const isKnown = !created.has(step.organization.id);
  const subject = after.id;
  switch (kind) {
    case "organization":
      return record(tables, operation, { action: "organization.added", subject, after });
    case "licence":
      await record(tables, operation, { action: "licence.granted", subject, after });
      if (!isKnown) return;
      await announce(tables, operation, licenceEvent("licence.granted", after));
      if (asking.has(after.organizationId)) await settleRequests(tables, operation, after);
      return;
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

async function applyChange(tables: Tables, operation: Operation, step: Step, { asking }: Known): Promise<void> {
  switch (step.kind) {
    case "organization":
      if (step.before) await applyOrganizationChange(tables, operation, step.before, step.after);
      return;
    case "licence":
      if (step.before) {
        const action = licenceAction(step.before, step.after, operation.now);
        await writeLicenceChange(tables, operation, step.before, step.after, action);
        const isSettling = action === "licence.renewed" && asking.has(step.after.organizationId);
        if (isSettling) await settleRequests(tables, operation, step.after);
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
function licenceAction(before: Licence, after: Licence, now: Date): LicenceAction {
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
