import type { Schema } from "./schema.ts";

/**
 * The relation of a column to a person:
 *
 * - account: the id of their account
 * - email: their e-mail address
 * - text, state: a text or JSON in which they may be mentioned
 * - own: something else about them
 * - secret: the same, but exports omit it
 * - address: an IP address, a user agent or the name of a machine
 */
type Meaning = "account" | "email" | "text" | "state" | "own" | "secret" | "address";

export interface PersonalTable<Row = Record<string, unknown>> {
  /** Rows that belong to a person are deleted with them. In others, a pseudonym replaces the person. */
  rows: "deleted" | "anonymized";
  columns: Partial<Record<keyof Row, Meaning>>;
}

/**
 * Every table, and its columns that may be about people; null if it has none. Exports and erasure follow from this list, and a
 * test compares it with docs/operate/privacy.md.
 */
export const PERSONAL_DATA: { [Name in keyof Schema]: PersonalTable<Schema[Name]> | null } = {
  migrations: null,
  compatibility: null,
  revision: null,
  copies: null,
  organizations: null,
  families: null,
  versions: null,
  builds: null,
  build_files: null,
  build_changes: null,
  licences: null,
  terms: null,
  terms_acceptances: {
    rows: "anonymized",
    columns: { account_id: "account", name: "own", email: "email", address: "address" },
  },
  access_requests: {
    rows: "anonymized",
    columns: { person_email: "email", person_name: "own", message: "own", reply: "text" },
  },
  keys: { rows: "anonymized", columns: { name: "text" } },
  key_secrets: null,
  key_creations: null,
  legacy_keys: { rows: "anonymized", columns: { name: "text" } },
  limit_reservations: null,
  attempts: { rows: "anonymized", columns: { client_ip: "address", user_agent: "address" } },
  usage_days: null,
  usage_months: null,
  usage_builds: null,
  usage_progress: null,
  accounts: {
    rows: "deleted",
    columns: {
      id: "account",
      email: "email",
      name: "own",
      password_hash: "secret",
      last_sign_in: "own",
      oidc_issuer: "own",
      oidc_subject: "own",
    },
  },
  account_sessions: {
    rows: "deleted",
    columns: { account_id: "account", hash: "secret", address: "address", user_agent: "address" },
  },
  account_passkeys: {
    rows: "deleted",
    columns: { account_id: "account", credential_id: "secret", public_key: "secret", name: "own" },
  },
  account_recovery_codes: { rows: "deleted", columns: { account_id: "account", hash: "secret" } },
  account_challenges: { rows: "deleted", columns: { account_id: "account", hash: "secret", challenge: "secret" } },
  // Nobody is known yet.
  passkey_challenges: null,
  account_links: { rows: "deleted", columns: { account_id: "account", hash: "secret" } },
  device_requests: {
    rows: "deleted",
    columns: {
      account_id: "account",
      device_hash: "secret",
      user_hash: "secret",
      host: "address",
      address: "address",
      approval: "own",
    },
  },
  authorization_codes: {
    rows: "deleted",
    columns: {
      account_id: "account",
      hash: "secret",
      challenge: "secret",
      host: "address",
      address: "address",
      approval: "own",
    },
  },
  sign_ins: { rows: "deleted", columns: { account_id: "account" } },
  // They belong to a program key, which deletes them.
  refresh_tokens: null,
  // It contains only digests, which erasure writes.
  erasure_secret: null,
  erased_people: null,
  notice_recipients: { rows: "deleted", columns: { account_id: "account", token: "secret", off: "own" } },
  outbox: {
    rows: "deleted",
    columns: {
      account_id: "account",
      recipient: "email",
      subject: "own",
      text: "own",
      html: "own",
      unsubscribe_url: "secret",
    },
  },
  events: { rows: "anonymized", columns: { data: "state" } },
  webhook_endpoints: { rows: "anonymized", columns: { url: "text", description: "text" } },
  webhook_deliveries: { rows: "anonymized", columns: { request: "state", response: "state", error: "text" } },
  delivery_permissions: null,
  destinations: { rows: "anonymized", columns: { description: "text" } },
  destination_databases: null,
  destination_builds: null,
  destination_deliveries: null,
  signing_keys: null,
  manifests: null,
  freshness_keys: null,
  freshness_statements: null,
  patches: null,
  shared_tables: null,
  shared_files: null,
  jobs: null,
  audit: { rows: "anonymized", columns: { actor: "text", subject: "account", before: "state", after: "state" } },
};

/** The tables with personal data, in the order of the list. */
export const PERSONAL_TABLES = Object.entries(PERSONAL_DATA).flatMap(([name, table]) =>
  table ? [{ name: name as keyof Schema, ...(table as PersonalTable) }] : [],
);

/** The columns of a table with one of these meanings. */
export function columnsOf({ columns }: PersonalTable, ...meanings: Meaning[]): string[] {
  return Object.keys(columns).filter((column) => meanings.includes(columns[column] as Meaning));
}
