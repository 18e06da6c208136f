import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";

/** A one-time link to pass on to someone. */
export interface Link {
  email: string;
  purpose: "invitation" | "reset";
  /** Null if it was sent by e-mail and is not shown. */
  url: string | null;
  expires: string;
  isMailed: boolean;
}

/** The dialog that is open. There is at most one. */
export type AccountAction =
  | { kind: "invite" }
  | { kind: "disable" | "move" | "delete" | "erase" | "reset-two-factor"; account: ConsoleAccount }
  | { kind: "link"; link: Link };
