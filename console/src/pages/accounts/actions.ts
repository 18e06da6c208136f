import type { ConsoleAccount } from "@dbdepot/contract/console";

/** A one-time link to pass on to someone. */
export interface Link {
  email: string;
  purpose: "invitation" | "reset";
  url: string;
  expires: string;
  isMailed: boolean;
}

/** What the dialogs work on. At most one of them is open. */
export type AccountAction =
  | { kind: "invite" }
  | { kind: "disable"; account: ConsoleAccount }
  | { kind: "link"; link: Link };
