import { withReadableTimes } from "../../components/format.ts";

/** The nouns that actions are about, as the filter shows them. */
export const NOUN_OPTIONS = [
  { value: "organization", label: "Organizations" },
  { value: "customers", label: "Imports of customers" },
  { value: "family", label: "Families" },
  { value: "version", label: "Versions" },
  { value: "build", label: "Builds" },
  { value: "licence", label: "Licences" },
  { value: "terms", label: "Terms" },
  { value: "access_request", label: "Access requests" },
  { value: "key", label: "Keys" },
  { value: "legacy_key", label: "Legacy keys" },
  { value: "webhook", label: "Webhooks" },
  { value: "destination", label: "Destinations" },
  { value: "destinations", label: "Permission for deliveries" },
  { value: "secrets", label: "Encryption of secrets" },
  { value: "job", label: "Jobs" },
  { value: "signing_key", label: "Signing keys" },
  { value: "freshness_key", label: "Freshness keys" },
  { value: "account", label: "Accounts and sign-ins" },
  { value: "sign_in", label: "Programs that signed in" },
  { value: "session", label: "Views as a customer" },
  { value: "privacy", label: "Erased people" },
  { value: "backup", label: "Backups" },
  { value: "copy", label: "Copies of the database" },
];

/** `legacy_key.created` is "Legacy key created". */
export function describeAction(action: string): string {
  const words = action.replace(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Change {
  /** As it is stored. */
  name: string;
  field: string;
  before: string;
  after: string;
}

/** The fields whose values differ, or all of them if there was no state before. */
export function changesOf(before: unknown, after: unknown): Change[] {
  const old = fieldsOf(before);
  const current = fieldsOf(after);
  const names = new Set([...Object.keys(old), ...Object.keys(current)]);
  // The id is that of the subject.
  names.delete("id");
  return [...names]
    .map((name) => ({ name, field: describeField(name), before: inWords(old[name]), after: inWords(current[name]) }))
    .filter((change) => change.before !== change.after);
}

function fieldsOf(state: unknown): Record<string, unknown> {
  if (state === null || state === undefined) return {};
  return typeof state === "object" ? (state as Record<string, unknown>) : { value: state };
}

/** `allowed_cidrs` and `allowedCidrs` are "Allowed cidrs", and `organizationId` is "Organization". */
function describeField(name: string): string {
  const words = name
    .replace(/([a-z])_?Id$|_id$/, "$1")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function inWords(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string") return withReadableTimes(value);
  const isFlat = Array.isArray(value) && value.every((each) => typeof each !== "object");
  return isFlat ? value.join(", ") : withReadableTimes(JSON.stringify(value, null, 1));
}
