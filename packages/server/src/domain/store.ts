import type { TwoFactorPolicy } from "./accounts/passkey.ts";
import type { AccountStore, LinkStore, SessionStore, TwoFactorStore } from "./accounts/store.ts";
import type { AuditStore } from "./audit/store.ts";
import type { DumpStore } from "./backup/store.ts";
import type { ChangeStore } from "./builds/changes/store.ts";
import type { BuildStore } from "./builds/store.ts";
import type { FamilyStore, VersionStore } from "./catalogue/store.ts";
import type { CustomerStore } from "./customers/store.ts";
import type { AttemptStore } from "./downloads/store.ts";
import type { EventStore } from "./events/store.ts";
import type { KeyStore } from "./keys/store.ts";
import type { LegacyKeyStore } from "./legacy-keys/store.ts";
import type { LicenceStore } from "./licences/store.ts";
import type { ManifestStore, PrivateKeys, SigningKeyStore } from "./manifests/store.ts";
import type { NoticeStore } from "./notices/store.ts";
import type { OrganizationStore } from "./organizations/store.ts";
import type { PatchStore } from "./patches/store.ts";
import type { PrivacyStore } from "./privacy/store.ts";
import type { RegisterSource } from "./register-source.ts";
import type { RequestStore } from "./requests/store.ts";
import type { SignInStore } from "./sign-ins/store.ts";
import type { TermsStore } from "./terms/store.ts";
import type { UsageStore } from "./usage/store.ts";
import type { WebhookStore } from "./webhooks/store.ts";

/** The stores of all nouns that changes write to, outside or inside a transaction. */
export interface Tables {
  organizations: OrganizationStore;
  families: FamilyStore;
  versions: VersionStore;
  builds: BuildStore;
  changes: ChangeStore;
  licences: LicenceStore;
  terms: TermsStore;
  requests: RequestStore;
  keys: KeyStore;
  legacyKeys: LegacyKeyStore;
  accounts: AccountStore;
  sessions: SessionStore;
  links: LinkStore;
  signIns: SignInStore;
  twoFactor: TwoFactorStore;
  events: EventStore;
  webhooks: WebhookStore;
  notices: NoticeStore;
  manifests: ManifestStore;
  signingKeys: SigningKeyStore;
  patches: PatchStore;
  audit: AuditStore;
  customers: CustomerStore;
  privacy: PrivacyStore;
}

export interface Store extends Tables, RegisterSource, DumpStore {
  /** Not part of `Tables`: the history has its own commits, with many rows each. */
  attempts: AttemptStore;
  /** Not part of `Tables`: totals are derived from the history, so they need no revision. */
  usage: UsageStore;
  /**
   * Runs one transaction. Changes run one at a time across all processes, so what a change has checked is still true when
   * it writes. Each one raises the revision, so that every register loads it.
   */
  change<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /** Whether the database is empty. */
  isNew(): Promise<boolean>;
  /** The migrations that have not been applied yet, in order. */
  pendingMigrations(): Promise<string[]>;
  /** Brings the schema up to date and returns the migrations it applied. Several processes may call it concurrently. */
  migrate(): Promise<string[]>;
  close(): Promise<void>;
}

/** A change: who makes it, when, in which store, and under which rules. */
export interface Operation {
  store: Store;
  /** Recorded in the audit log. */
  actor: string;
  now: Date;
  /** Each noun has its own defaults. */
  rules?: Partial<Rules>;
}

/** The operator's settings that changes depend on. */
export interface Rules {
  /** Live keys an organization can have. */
  maxKeysPerOrganization: number;
  /** Days after which an evaluation ends by default; 0: never. */
  evaluationDays: number;
  /** CIDRs of private networks that webhooks may be sent to. */
  webhookPrivateNetworks: readonly string[];
  /** Needed by changes of current builds once the service signs them. */
  privateKeys: PrivateKeys;
  /** The roles whose passwords need a second factor. */
  twoFactor: TwoFactorPolicy;
}
