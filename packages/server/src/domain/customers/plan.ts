/** Compares a file with the database: what an import creates and changes. */

import { archivedAt } from "../../platform/primitives/archiving.ts";
import type { LineFaults } from "../../platform/primitives/bad-lines.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { Account } from "../access/account.ts";
import { PlainKey } from "../access/secret.ts";
import type { Key, KeySecret } from "../keys/key.ts";
import {
  DEFAULT_MAX_KEYS_PER_ORGANIZATION,
  isExpired,
  requireFutureEnd,
  requireScopes,
  secretOf,
} from "../keys/keys.ts";
import type { LegacyKey } from "../legacy-keys/legacy-key.ts";
import type { Licence } from "../licences/licence.ts";
import { requireContractDates, requireTerm } from "../licences/licences.ts";
import { changedLimits, NO_LIMITS } from "../limits/limits.ts";
import type { Organization } from "../organizations/organization.ts";
import type { Operation } from "../store.ts";
import { KIND_NAMES, type RecordKind } from "./columns.ts";
import type { Existing } from "./existing.ts";
import type {
  AccountRecord,
  CustomerRecords,
  KeyRecord,
  LegacyKeyRecord,
  LicenceRecord,
  OrganizationRecord,
} from "./record.ts";

const LEGACY_KEY_NAME = "v1 key";

interface Entities {
  organization: Organization;
  licence: Licence;
  account: Account;
  key: Key;
  legacy_key: LegacyKey;
}

/** One thing as it is and as it will be. `before` is undefined if it is new, and `after` is `before` if nothing changes. */
type StepOf<Kind extends RecordKind> = {
  line: number;
  kind: Kind;
  organization: Organization;
  before: Entities[Kind] | undefined;
  after: Entities[Kind];
};
export type Step = { [Kind in RecordKind]: StepOf<Kind> }[RecordKind];

export interface Plan {
  /** The steps are ordered by kind, because organizations are created before what they have. */
  steps: Step[];
  /** The secrets of new keys by key id. `plain` is undefined if the secret is imported. */
  secrets: Map<string, { secret: KeySecret; plain: PlainKey | undefined }>;
  /** Accounts that are not created, because the person was erased. */
  skipped: { line: number; organization: Organization; email: string }[];
  /** How many things the database has, but not the file: organizations, and what the organizations of the file have. */
  others: Record<RecordKind, number>;
}

/** The state that the functions of this file share while they plan an import. */
interface Planning {
  plan: Plan;
  existing: Existing;
  faults: LineFaults;
  now: Date;
  maxKeys: number;
  /** The organizations of the file, as they will be, and those that exist. */
  organizations: Map<string, Organization>;
  /** Things that a line of the file describes. */
  described: Set<string>;
  /** How many live keys an organization will have, once one was added. */
  liveKeys: Map<string, number>;
}

/** Plans the import of records. What is wrong with them is added to `faults`, and then the plan is incomplete. */
export function planImport(
  records: CustomerRecords,
  { existing, faults }: { existing: Existing; faults: LineFaults },
  { now, rules }: Pick<Operation, "now" | "rules">,
): Plan {
  const planning: Planning = {
    plan: {
      steps: [],
      secrets: new Map(),
      skipped: [],
      others: { organization: 0, licence: 0, account: 0, key: 0, legacy_key: 0 },
    },
    existing,
    faults,
    now,
    maxKeys: rules?.maxKeysPerOrganization ?? DEFAULT_MAX_KEYS_PER_ORGANIZATION,
    organizations: new Map(existing.organizations),
    described: new Set(),
    liveKeys: new Map(),
  };
  for (const record of records.organizations) planOrganization(planning, record);
  for (const record of records.licences) planChild(planning, "licence", record, licenceFrom);
  for (const record of records.accounts) {
    if (!skipsErased(planning, record)) planChild(planning, "account", record, accountFrom);
  }
  for (const record of records.keys) planChild(planning, "key", record, keyFrom);
  for (const record of records.legacyKeys) planChild(planning, "legacy_key", record, legacyKeyFrom);
  planning.plan.others = countOthers(planning);
  return planning.plan;
}

function planOrganization(planning: Planning, record: OrganizationRecord): void {
  const { plan, existing, faults, organizations } = planning;
  faults.check(record.line, () => {
    const before = existing.organizations.get(record.organization);
    requireFirst(planning, "organization", before);
    const after = organizationFrom(planning, record, before);
    organizations.set(record.organization, after);
    plan.steps.push({ line: record.line, kind: "organization", organization: after, before, after });
  });
}

function planChild<Kind extends RecordKind, R extends { line: number; organization: string }>(
  planning: Planning,
  kind: Kind,
  record: R,
  from: (planning: Planning, record: R, organization: Organization) => Pick<StepOf<Kind>, "before" | "after">,
): void {
  const { plan, faults, organizations } = planning;
  const organization = organizations.get(record.organization);
  // This is already reported.
  if (!organization) return;
  faults.check(record.line, () => {
    const { before, after } = from(planning, record, organization);
    requireFirst(planning, kind, before);
    plan.steps.push({ line: record.line, kind, organization, before, after } as Step);
  });
}

function skipsErased(
  { plan, existing, organizations }: Planning,
  { line, email, organization: externalId }: AccountRecord,
): boolean {
  const organization = organizations.get(externalId);
  const isErased = existing.erased.has(email) && !existing.accountsByEmail.has(email);
  if (isErased && organization) plan.skipped.push({ line, organization, email });
  return isErased;
}

function requireFirst({ described }: Planning, kind: RecordKind, before: { id: string } | undefined): void {
  if (!before) return;
  if (described.has(before.id)) throw conflict(`another line describes the same ${KIND_NAMES[kind]}`);
  described.add(before.id);
}

function organizationFrom(
  { existing, now }: Planning,
  record: OrganizationRecord,
  before: Organization | undefined,
): Organization {
  const { name, isArchived, limits, organization: externalId } = record;
  const holder = existing.organizationsByName.get(name);
  if (holder && holder.id !== before?.id) {
    throw conflict(
      holder.externalId === null
        ? `an organization named "${name}" already exists. If it is the same, run: orgs edit ${JSON.stringify(name)} --external-id ${JSON.stringify(externalId)}`
        : `an organization named "${name}" already exists, with the external id "${holder.externalId}"`,
    );
  }
  const base = before ?? {
    id: newId(now),
    created: now,
    archived: null,
    externalId,
    limits: NO_LIMITS,
    linkRegion: null,
  };
  return { ...base, name, archived: archivedAt(base, isArchived, now), limits: changedLimits(base.limits, limits) };
}

function licenceFrom(
  { existing, described, now }: Planning,
  record: LicenceRecord,
  { id: organizationId }: Organization,
) {
  const before = findLicence(record, existing.licences.get(organizationId) ?? [], described);
  const { base, redistribution } = record;
  if (before && before.base !== base) {
    throw conflict(`the licence is for the family ${before.base}: a licence for ${base} needs another external id`);
  }
  const after: Licence = {
    id: before?.id ?? newId(now),
    organizationId,
    base,
    redistribution,
    starts: record.starts ?? before?.starts ?? now,
    expires: changed(record.expires, before?.expires),
    created: before?.created ?? now,
    renewsAt: changed(record.renewsAt, before?.renewsAt),
    noticeDueAt: changed(record.noticeDueAt, before?.noticeDueAt),
    // An export writes its own id for a licence that has no external one.
    externalId: (record.externalId === before?.id ? undefined : record.externalId) ?? before?.externalId ?? null,
    termsId: changed(record.termsId, before?.termsId),
  };
  requireTerm(after.starts, after.expires);
  requireContractDates(after);
  return { before, after };
}

function accountFrom(
  { existing, now }: Planning,
  { email, name, role }: AccountRecord,
  { id: organizationId }: Organization,
) {
  const found = existing.accountsByEmail.get(email);
  if (found && found.organizationId !== organizationId) {
    throw conflict(
      found.organization
        ? `${email} belongs to the organization "${found.organization.name}": move or delete that account first`
        : `${email} is an account of your own staff`,
    );
  }
  const { organization: _, ...before } = found ?? { organization: null };
  if (!isAccount(before)) {
    const created = { id: newId(now), created: now, lastSignIn: null, disabled: null };
    return { before: undefined, after: { ...created, email, name: name ?? "", role, organizationId } };
  }
  return { before, after: { ...before, name: name ?? before.name, role } };
}

function keyFrom(planning: Planning, record: KeyRecord, organization: Organization) {
  const { plan, now } = planning;
  const { name, cidrs, expires, secret } = record;
  const scopes = record.scopes && requireScopes(record.scopes, organization.id);
  const before = findKey(planning.existing, record, organization);
  if (before) {
    // A key that was revoked stays revoked, whatever the file says.
    if (before.revoked) return { before, after: before };
    const end = changed(expires, before.expires);
    return {
      before,
      after: { ...before, name, scopes: scopes ?? before.scopes, cidrs: cidrs ?? before.cidrs, expires: end },
    };
  }
  const plain = secret ? undefined : PlainKey.generate();
  const key: Key = {
    id: newId(now),
    organizationId: organization.id,
    name,
    prefix: plain?.prefix ?? secret?.prefix ?? "",
    scopes: scopes ?? [],
    cidrs: cidrs ?? [],
    // The expired keys of another system tell their users what is wrong with them. A new key must work.
    expires: plain ? requireFutureEnd(expires ?? null, now) : (expires ?? null),
    created: now,
    lastUsed: null,
    revoked: null,
  };
  requireRoom(planning, key, organization);
  if (plain) plan.secrets.set(key.id, { secret: secretOf(plain, key.id, now), plain });
  else if (secret) {
    plan.secrets.set(key.id, { secret: { ...secret, keyId: key.id, created: now, expires: null }, plain });
  }
  return { before: undefined, after: key };
}

function findKey(
  existing: Existing,
  { name, secret }: KeyRecord,
  { id: organizationId }: Organization,
): Key | undefined {
  const keys = existing.keys.get(organizationId) ?? [];
  if (!secret) return keys.find((key) => key.name === name);
  const known = existing.secretsByHash.get(secret.hash);
  if (known) {
    if (known.organizationId !== organizationId) throw conflict("the secret belongs to a key of another organization");
    return keys.find(({ id }) => id === known.keyId);
  }
  if (existing.secretsByPrefix.has(secret.prefix)) throw conflict(`another key has the prefix ${secret.prefix}`);
  return undefined;
}

function requireRoom({ existing, liveKeys, maxKeys, now }: Planning, key: Key, { id, name }: Organization): void {
  if (isExpired(key, now)) return;
  const count =
    liveKeys.get(id) ?? (existing.keys.get(id) ?? []).filter((each) => !each.revoked && !isExpired(each, now)).length;
  if (count >= maxKeys) {
    throw conflict(`"${name}" would have more than ${maxKeys} live keys: raise DBDEPOT_MAX_KEYS_PER_ORGANIZATION`);
  }
  liveKeys.set(id, count + 1);
}

function legacyKeyFrom(
  { existing, now }: Planning,
  { name, hash, databaseIds }: LegacyKeyRecord,
  { id: organizationId }: Organization,
) {
  const before = existing.legacyKeysByHash.get(hash);
  if (!before) {
    const created = { id: newId(now), created: now, lastUsed: null, revoked: null };
    return { before, after: { ...created, organizationId, name: name ?? LEGACY_KEY_NAME, hash, databaseIds } };
  }
  if (before.organizationId !== null && before.organizationId !== organizationId) {
    throw conflict("the UUID belongs to a v1 key of another organization");
  }
  if (before.revoked) return { before, after: before };
  return { before, after: { ...before, organizationId, name: name ?? before.name, databaseIds } };
}

/** How many things the file does not describe. Revoked keys don't count. */
function countOthers({ existing, described }: Planning): Plan["others"] {
  const count = (things: readonly { id: string; revoked?: Date | null }[]) =>
    things.filter(({ id, revoked }) => !described.has(id) && !revoked).length;
  const matched = new Set([...existing.organizations.values()].map(({ id }) => id));
  return {
    organization: existing.organizationCount - matched.size,
    licence: count([...existing.licences.values()].flat()),
    account: count(existing.accounts),
    key: count([...existing.keys.values()].flat()),
    legacy_key: count(existing.legacyKeys),
  };
}

/** Finds a licence by its external id or its own, or else by its family and start. A licence with another external id is another licence. */
function findLicence(
  { externalId, base, starts }: LicenceRecord,
  licences: readonly Licence[],
  described: ReadonlySet<string>,
): Licence | undefined {
  const byId = licences.find(
    (each) => externalId !== undefined && (each.externalId === externalId || each.id === externalId),
  );
  return (
    byId ??
    licences.find(
      (each) =>
        !described.has(each.id) &&
        each.base === base &&
        each.starts.getTime() === starts?.getTime() &&
        (externalId === undefined || each.externalId === null),
    )
  );
}

/** Undefined keeps the value. */
function changed<T>(value: T | null | undefined, before: T | null | undefined): T | null {
  return value === undefined ? (before ?? null) : value;
}

function isAccount(value: Partial<Account>): value is Account {
  return value.id !== undefined;
}
