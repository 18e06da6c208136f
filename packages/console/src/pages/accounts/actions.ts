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

/** What the dialogs work on. At most one of them is open. */
export type AccountAction =
  | { kind: "invite" }
  | { kind: "disable" | "move" | "delete"; account: ConsoleAccount }
  | { kind: "link"; link: Link };
