import type { Role } from "@dbdepot/contract/console/accounts";
import type { FileKind, Format } from "@dbdepot/contract/shared/formats";
import type { Redistribution } from "@dbdepot/contract/v2/catalogue";
import type { Outcome } from "@dbdepot/contract/v2/downloads";
import type { EventType } from "@dbdepot/contract/v2/events";
import type { LimitName } from "@dbdepot/contract/v2/limits";
import type { MessageType } from "@dbdepot/contract/v2/webhooks";
import type { SecretHash } from "../../domain/access/secret.ts";
import type { SessionFactor } from "../../domain/access/session.ts";
import type { LinkPurpose } from "../../domain/accounts/link.ts";
import type { Challenge } from "../../domain/accounts/passkey.ts";
import type { PasswordHash } from "../../domain/accounts/password.ts";
import type { Action } from "../../domain/audit/entry.ts";
import type { BuildState } from "../../domain/builds/build.ts";
import type { Visibility } from "../../domain/catalogue/family.ts";
import type { Api } from "../../domain/downloads/attempt.ts";
import type { MailState } from "../../domain/notices/outgoing-mail.ts";
import type { RequestState } from "../../domain/requests/request.ts";
import type { DeliveryOutcome, DeliveryTrigger, DisabledReason } from "../../domain/webhooks/webhook.ts";

/** RFC 3339 in UTC with milliseconds. Sorts by time as text. */
type Time = string;
/** A boolean as a number, because SQLite has no booleans. */
type Flag = 0 | 1;
/** An array or object as JSON text. */
type Json = string;

/** The revision of the change that last wrote the row. The register reads rows with newer ones. */
interface Revised {
  revision: number;
}

/** The downloads of an organization in a day or month. The database is empty for requests that named none it can see. */
interface UsageTotals {
  organization_id: string;
  dataset_id: string;
  format: string;
  first_downloads: number;
  repeats: number;
  refused: number;
  bytes: number;
  /** Per month, this and the next one are the largest number on one day. */
  keys: number;
  addresses: number;
}

export interface Schema {
  migrations: { name: string; applied: Time };
  /** One row with the revision of the newest change. */
  revision: { value: number };
  organizations: Revised & {
    id: string;
    name: string;
    created: Time;
    archived: Time | null;
    external_id: string | null;
  } & Record<LimitName, number | null>;
  families: Revised & {
    base: string;
    name: string;
    visibility: Visibility;
    created: Time;
    archived: Time | null;
    open: Flag;
  };
  versions: Revised & {
    id: string;
    base: string;
    number: number;
    summary: string;
    formats: Json;
    current_build_id: string | null;
    created: Time;
    archived: Time | null;
  };
  builds: Revised & {
    id: string;
    version_id: string;
    state: BuildState;
    metadata: Uint8Array;
    updated: string;
    entries: number;
    created: Time;
    published: Time | null;
    withdrawn: Time | null;
    withdrawn_reason: string | null;
    previous_build_id: string | null;
    superseded: Time | null;
  };
  build_files: {
    build_id: string;
    /** Servers without support for samples ignore their rows. */
    format: FileKind;
    object_key: string;
    size_bytes: number;
    md5: string;
    sha1: string;
    sha256: string;
    sha512: string;
    findings: Json | null;
  };
  build_changes: {
    from_build_id: string;
    to_build_id: string;
    created: Time;
    outcome: Json | null;
    added: number | null;
    removed: number | null;
    changed: number | null;
    attempts: number;
    claimed_by: string | null;
    claimed_until: Time | null;
  };
  licences: Revised & {
    id: string;
    organization_id: string;
    base: string;
    redistribution: Redistribution;
    starts: Time;
    expires: Time | null;
    created: Time;
    renews_at: Time | null;
    notice_due_at: Time | null;
    external_id: string | null;
    terms_id: string | null;
  };
  terms: {
    id: string;
    name: string;
    version: number;
    title: string;
    text: string;
    size_bytes: number;
    sha256: string;
    created: Time;
  };
  terms_acceptances: Revised & {
    id: string;
    organization_id: string;
    terms_id: string;
    sha256: string;
    account_id: string;
    name: string;
    email: string;
    address: string;
    created: Time;
  };
  access_requests: {
    id: string;
    organization_id: string;
    base: string;
    person_email: string;
    person_name: string;
    message: string;
    state: RequestState;
    reply: string | null;
    decided: Time | null;
    licence_id: string | null;
    created: Time;
  };
  keys: Revised & {
    id: string;
    organization_id: string | null;
    name: string;
    prefix: string;
    scopes: Json;
    cidrs: Json;
    expires: Time | null;
    created: Time;
    last_used: Time | null;
    revoked: Time | null;
  };
  key_secrets: { hash: SecretHash; key_id: string; prefix: string; created: Time; expires: Time | null };
  key_creations: { organization_id: string; idempotency_hash: string; key_id: string; created: Time };
  legacy_keys: Revised & {
    id: string;
    organization_id: string | null;
    name: string;
    hash: SecretHash;
    database_ids: Json;
    created: Time;
    last_used: Time | null;
    revoked: Time | null;
  };
  attempts: {
    id: string;
    api: Api;
    organization_id: string | null;
    key_id: string | null;
    dataset_id: string;
    format: string;
    outcome: Outcome;
    cause: string | null;
    bytes: number | null;
    http_status: number;
    build_id: string | null;
    client_ip: string | null;
    user_agent: string | null;
    created: Time;
    open: Flag;
    sample: Flag;
    patch: Flag;
    /** Null for links, refusals, and attempts of servers before 0022. */
    sent_bytes: number | null;
  };
  usage_days: UsageTotals & { day: string };
  usage_months: UsageTotals & { month: string };
  /** The day on which an organization first downloaded a build. */
  usage_builds: {
    organization_id: string;
    dataset_id: string;
    format: string;
    build_id: string;
    first_day: string;
  };
  /** At most one row. */
  usage_progress: {
    id: 1;
    /** The first day whose totals may still change. */
    final_until: string;
    /** When the last update began that was completed. */
    updated: Time | null;
    /** When the next update may begin. During an update: when another server may take over. */
    due: Time;
    claimed_by: string | null;
  };
  accounts: {
    id: string;
    email: string;
    name: string;
    role: Role;
    organization_id: string | null;
    password_hash: PasswordHash | null;
    created: Time;
    last_sign_in: Time | null;
    disabled: Time | null;
    oidc_issuer: string | null;
    oidc_subject: string | null;
  };
  account_sessions: {
    hash: SecretHash;
    id: string;
    account_id: string;
    created: Time;
    last_seen: Time;
    address: string;
    user_agent: string;
    viewed_organization_id: string | null;
    second_factor: SessionFactor | null;
  };
  account_passkeys: {
    id: string;
    account_id: string;
    credential_id: string;
    public_key: string;
    counter: number;
    transports: Json;
    name: string;
    created: Time;
    last_used: Time | null;
  };
  account_recovery_codes: { hash: SecretHash; account_id: string };
  account_challenges: {
    hash: SecretHash;
    account_id: string;
    purpose: Challenge["purpose"];
    challenge: string;
    expires: Time;
  };
  account_links: { hash: SecretHash; account_id: string; purpose: LinkPurpose; created: Time; expires: Time };
  device_requests: {
    device_hash: SecretHash;
    user_hash: SecretHash;
    id: string;
    program_id: string;
    scopes: Json;
    host: string | null;
    address: string;
    created: Time;
    expires: Time;
    last_polled: Time | null;
    denied: Flag;
    /** Null until a person has approved. */
    account_id: string | null;
    approval: Json | null;
  };
  authorization_codes: {
    hash: SecretHash;
    program_id: string;
    redirect: string;
    challenge: string;
    scopes: Json;
    host: string | null;
    address: string;
    account_id: string;
    approval: Json;
    expires: Time;
    sign_in_id: string | null;
  };
  sign_ins: {
    id: string;
    program_id: string;
    account_id: string;
    key_id: string;
    days: number;
    key_expires: Time;
    created: Time;
  };
  refresh_tokens: { hash: SecretHash; sign_in_id: string; used: Flag };
  events: Revised & {
    id: string;
    type: EventType;
    organization_id: string | null;
    base: string | null;
    data: Json;
    created: Time;
  };
  webhook_endpoints: {
    id: string;
    organization_id: string;
    url: string;
    description: string;
    event_types: Json | null;
    /** Stored in plain text, because requests are signed with it. */
    secret: string;
    old_secret: string | null;
    old_secret_until: Time | null;
    created: Time;
    disabled: Time | null;
    disabled_reason: DisabledReason | null;
    position_revision: number;
    position_id: string;
    attempts: number;
    first_attempt: Time | null;
    next_attempt: Time | null;
    failing_since: Time | null;
    last_delivered: Time | null;
    claimed_by: string | null;
    claimed_until: Time | null;
  };
  notice_recipients: {
    account_id: string;
    token: string;
    off: Json;
    digested: Time | null;
    position_revision: number | null;
    position_id: string | null;
  };
  outbox: {
    id: string;
    account_id: string;
    recipient: string;
    subject: string;
    text: string;
    html: string;
    unsubscribe_url: string;
    created: Time;
    state: MailState;
    attempts: number;
    next_attempt: Time | null;
    begun: Time | null;
    error: string | null;
  };
  webhook_deliveries: {
    id: string;
    webhook_id: string;
    event_id: string;
    event_type: MessageType;
    attempt: number;
    trigger: DeliveryTrigger;
    outcome: DeliveryOutcome;
    http_status: number | null;
    error: string | null;
    duration_ms: number;
    created: Time;
    /** Null if an earlier version sent the request. */
    request: Json | null;
    response: Json | null;
  };
  signing_keys: Revised & {
    key_id: string;
    public_key: string;
    created: Time;
    expires: Time | null;
    endorsement: string | null;
    endorsement_signature: string | null;
    imported: Flag;
  };
  manifests: Revised & {
    version_id: string;
    sequence: number;
    build_id: string | null;
    body: string;
    signature: string;
    key_id: string;
    created: Time;
  };
  patches: Revised & {
    id: string;
    version_id: string;
    build_id: string;
    /** Null for a compressed copy. */
    base_build_id: string | null;
    format: Format;
    base_sha256: string;
    object_key: string | null;
    size_bytes: number | null;
    sha256: string | null;
    reason: string | null;
    duration_ms: number;
    created: Time;
  };
  patch_jobs: {
    version_id: string;
    build_id: string;
    queued: Time;
    attempts: number;
    next_attempt: Time | null;
    claimed_by: string | null;
    claimed_until: Time | null;
  };
  audit: {
    id: string;
    actor: string;
    action: Action;
    subject: string;
    before: Json;
    after: Json;
    created: Time;
  };
}
