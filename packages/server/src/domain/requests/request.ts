import type { REQUEST_STATES } from "@dbdepot/contract/v2/events";

export type RequestState = (typeof REQUEST_STATES)[number];

/** A person of an organization asks the vendor for a licence. An organization has one pending request per family. */
export interface AccessRequest {
  id: string;
  organizationId: string;
  base: string;
  /** Who asked. Copied, because the account may be renamed or deleted later. */
  person: { email: string; name: string };
  message: string;
  state: RequestState;
  /** The vendor's answer; empty if it was granted without one. Null while it is pending. */
  reply: string | null;
  decided: Date | null;
  /** The licence that was granted or renewed. */
  licenceId: string | null;
  created: Date;
}
