import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import type { MailResult } from "@dbdepot/contract/shared/mail";

/** A one-time link to pass on to someone. */
export interface Link {
  email: string;
  purpose: "invitation" | "reset";
  /** Null if it is not shown, because the person gets one by e-mail. */
  url: string | null;
  expires: string;
  mail: MailResult;
}

/** The dialog that is open. There is at most one. */
export type AccountAction =
  | { kind: "invite" }
  | { kind: "disable" | "move" | "delete" | "erase" | "reset-two-factor"; account: ConsoleAccount }
  | { kind: "link"; link: Link };
