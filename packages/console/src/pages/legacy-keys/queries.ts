/** The prefix of the query keys of all lists of v1 keys. */
export const LEGACY_KEYS_KEY = ["legacy-keys"] as const;
