import type { Role } from "@dbdepot/contract/console/accounts";
import type { Redistribution } from "@dbdepot/contract/v2/catalogue";
import type { SecretHash } from "../access/secret.ts";
import type { Limits } from "../limits/limits.ts";

/** Records whose values have been checked. Undefined values stay as they are in the database. */
interface RecordBase {
  line: number;
  /** The external id of its organization. */
  organization: string;
}

export interface OrganizationRecord extends RecordBase {
  name: string;
  isArchived: boolean | undefined;
  limits: Partial<Limits>;
}

export interface LicenceRecord extends RecordBase {
  externalId: string | undefined;
  base: string;
  redistribution: Redistribution;
  /** Undefined only if it has an external id. */
  starts: Date | undefined;
  expires: Date | null | undefined;
  renewsAt: Date | null | undefined;
  noticeDueAt: Date | null | undefined;
  /** A version of terms, like data-licence@2. */
  termsId: string | null | undefined;
}

export interface AccountRecord extends RecordBase {
  email: string;
  name: string | undefined;
  role: Role;
}

export interface KeyRecord extends RecordBase {
  name: string;
  scopes: string[] | undefined;
  cidrs: string[] | undefined;
  expires: Date | null | undefined;
  /** Undefined if a new secret is to be created. */
  secret: { hash: SecretHash; prefix: string } | undefined;
}

export interface LegacyKeyRecord extends RecordBase {
  name: string | undefined;
  hash: SecretHash;
  databaseIds: string[];
}

export interface CustomerRecords {
  organizations: OrganizationRecord[];
  licences: LicenceRecord[];
  accounts: AccountRecord[];
  keys: KeyRecord[];
  legacyKeys: LegacyKeyRecord[];
}
