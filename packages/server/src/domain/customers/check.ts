/** The checks that need only the file itself. */
import { isRole } from "@dbdepot/contract/console/accounts";
import type { LineFaults } from "../../platform/primitives/bad-lines.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import { requireEmail, requirePersonName } from "../access/person.ts";
import { isOperatorRole } from "../access/roles.ts";
import { isPrefix, type SecretHash } from "../access/secret.ts";
import { requireCidrs, requireKeyName, requireScopes } from "../keys/keys.ts";
import { hashUuid, normalizeUuid } from "../legacy-keys/legacy-key.ts";
import { requireRedistribution } from "../licences/licences.ts";
import { requireExternalId, requireOrganizationName } from "../organizations/organizations.ts";
import { Cells, FirstLines } from "./cells.ts";
import type { RawRecord } from "./columns.ts";
import type {
  AccountRecord,
  CustomerRecords,
  KeyRecord,
  LegacyKeyRecord,
  LicenceRecord,
  OrganizationRecord,
} from "./record.ts";

const SHA256 = /^[0-9a-f]{64}$/;

/** Converts the values of all records. Records with a fault are left out. */
export function checkRecords(raw: readonly RawRecord[], faults: LineFaults): CustomerRecords {
  const checked: CustomerRecords = { organizations: [], licences: [], accounts: [], keys: [], legacyKeys: [] };
  const seen = new FirstLines(faults);
  for (const record of raw) {
    const cells = new Cells(record, faults);
    if (record.kind === "organization") add(checked.organizations, checkOrganization(cells, seen));
    else if (record.kind === "licence") add(checked.licences, checkLicence(cells, seen));
    else if (record.kind === "account") add(checked.accounts, checkAccount(cells, seen));
    else if (record.kind === "key") add(checked.keys, checkKey(cells, seen));
    else add(checked.legacyKeys, checkLegacyKey(cells, seen));
  }
  return checked;
}

function add<T>(list: T[], record: T | undefined): void {
  if (record) list.push(record);
}

function checkOrganization(cells: Cells, seen: FirstLines): OrganizationRecord | undefined {
  const { line, organization } = cells;
  const name = cells.required("name", requireOrganizationName);
  seen.note(line, "the external id of the organization", organization);
  seen.note(line, "the name of the organization", name);
  const { limits } = cells;
  return cells.result<OrganizationRecord>({ line, organization, name, isArchived: cells.flag("archived"), limits });
}

function checkLicence(cells: Cells, seen: FirstLines): LicenceRecord | undefined {
  const { line, organization } = cells;
  const externalId = cells.optional("external_id", requireExternalId);
  const base = cells.required("family", String);
  const redistribution = cells.required("redistribution", requireRedistribution);
  const starts = cells.time("starts") ?? undefined;
  const [expires, renewsAt, noticeDueAt] = [
    cells.time("expires"),
    cells.time("renews_at"),
    cells.time("notice_due_at"),
  ];
  if (cells.text("starts") === undefined && cells.text("external_id") === undefined) {
    cells.check(() => {
      throw invalid("a licence needs starts or an external_id, so that it is found again by the next import");
    });
  }
  if (externalId === undefined) {
    seen.note(line, "the licence (its family and its start)", organization, base, starts?.toISOString());
  } else seen.note(line, "the external id of the licence", organization, externalId);
  const termsId = cells.removable("terms", String);
  const dates = { starts, expires, renewsAt, noticeDueAt };
  return cells.result<LicenceRecord>({ line, organization, externalId, base, redistribution, ...dates, termsId });
}

function checkAccount(cells: Cells, seen: FirstLines): AccountRecord | undefined {
  const { line, organization } = cells;
  const email = cells.required("email", requireEmail);
  const name = cells.optional("name", requirePersonName);
  const role = cells.required("role", (text) => {
    if (isRole(text) && !isOperatorRole(text)) return text;
    throw invalid(`"${text}" is not a role of customers: choose admin or viewer`);
  });
  seen.note(line, "the e-mail address", email);
  return cells.result<AccountRecord>({ line, organization, email, name, role });
}

function checkKey(cells: Cells, seen: FirstLines): KeyRecord | undefined {
  const { line, organization } = cells;
  const name = cells.required("name", requireKeyName);
  const scopes = cells.list("scopes", (list) => requireScopes(list, organization ?? ""));
  const cidrs = cells.list("cidrs", requireCidrs);
  const expires = cells.time("expires");
  const isNew = cells.flag("create") ?? false;
  const hash = cells.optional("sha256", requireHash);
  const prefix = cells.optional("key_prefix", requirePrefix);
  const hasHash = cells.text("sha256") !== undefined;
  cells.check(() => {
    if (isNew && hasHash) throw invalid("a key has either create or sha256, not both");
    if (!isNew && !hasHash) {
      throw invalid("a key needs the SHA-256 of its secret (sha256), or create for a new secret");
    }
    if (hasHash && cells.text("key_prefix") === undefined) {
      throw invalid("key_prefix is missing: it is the beginning of the secret, dbd_ and 8 characters");
    }
  });
  // A new secret is found again by the name of its key.
  if (isNew) seen.note(line, "the name of the key", organization, name);
  seen.note(line, "the secret", hash);
  seen.note(line, "the prefix of the key", prefix);
  const secret = hash !== undefined && prefix !== undefined ? { hash, prefix } : undefined;
  return cells.result<KeyRecord>({ line, organization, name, scopes, cidrs, expires, secret });
}

function checkLegacyKey(cells: Cells, seen: FirstLines): LegacyKeyRecord | undefined {
  const { line, organization } = cells;
  const name = cells.optional("name", (text) => {
    // Names are stored, shown and logged.
    if (normalizeUuid(text) !== undefined) throw invalid("the name is a UUID, which may be a secret");
    return requireKeyName(text);
  });
  const uuid = cells.optional("uuid", (text) => {
    const normalized = normalizeUuid(text);
    if (normalized === undefined) throw invalid("the UUID must have 32 hexadecimal digits, with or without dashes");
    return hashUuid(normalized);
  });
  const given = cells.optional("sha256", requireHash);
  cells.check(() => {
    if ((cells.text("uuid") === undefined) === (cells.text("sha256") === undefined)) {
      throw invalid("a v1 key needs either its uuid or the SHA-256 of it (sha256)");
    }
  });
  const databaseIds = cells.check(() => {
    const ids = cells.list("databases", (list) => [...new Set(list)]) ?? [];
    if (ids.length === 0) throw invalid("a v1 key needs at least one database id (databases)");
    if (ids.some((id) => normalizeUuid(id) !== undefined))
      throw invalid("a database is a UUID: are the columns mixed up?");
    return ids;
  });
  const hash = uuid ?? given;
  seen.note(line, "the UUID", hash);
  return cells.result<LegacyKeyRecord>({ line, organization, name, hash, databaseIds });
}

function requireHash(text: string): SecretHash {
  const lower = text.toLowerCase();
  // The value is not quoted, because it may be the secret itself.
  if (!SHA256.test(lower)) throw invalid("sha256 must have 64 hexadecimal digits");
  return lower as SecretHash;
}

function requirePrefix(text: string): string {
  if (!isPrefix(text)) throw invalid("key_prefix must be dbd_ and 8 letters or digits");
  return text;
}
