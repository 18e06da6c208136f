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
  { value: "signing_key", label: "Signing keys" },
  { value: "account", label: "Accounts and sign-ins" },
  { value: "sign_in", label: "Programs that signed in" },
  { value: "session", label: "Views as a customer" },
  { value: "privacy", label: "Erased people" },
];

/** `legacy_key.created` is "Legacy key created". */
export function describeAction(action: string): string {
  const words = action.replace(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Change {
  field: string;
  before: string;
  after: string;
}

/** The fields whose values differ, or all of them if there was no state before. */
export function changesOf(before: unknown, after: unknown): Change[] {
  const old = fieldsOf(before);
  const current = fieldsOf(after);
  const names = new Set([...Object.keys(old), ...Object.keys(current)]);
  return [...names]
    .map((field) => ({ field, before: inWords(old[field]), after: inWords(current[field]) }))
    .filter((change) => change.before !== change.after);
}

function fieldsOf(state: unknown): Record<string, unknown> {
  if (state === null || state === undefined) return {};
  return typeof state === "object" ? (state as Record<string, unknown>) : { value: state };
}

function inWords(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
