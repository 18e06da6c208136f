import type { ProgramRequest } from "@dbdepot/contract/console/programs";

type ProgramScope = ProgramRequest["scopes"][number];

/** Says what each scope lets a program do. */
export const SCOPES_IN_WORDS: Record<ProgramScope, string> = {
  "db.download": "List and download databases, and read the download history",
  "apikeys.manage": "Create, change and revoke your organization's keys, and manage its webhooks",
  "apikeys.read": "See your organization's keys, but not their secrets",
  "org.read": "See your organization's name",
  "account.read": "See which account it acts for",
};
