/** The prefix of the query keys of all lists of accounts. */
export const ACCOUNTS_KEY = ["accounts"] as const;
