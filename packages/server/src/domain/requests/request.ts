import type { REQUEST_STATES } from "@dbdepot/contract/shared/choices";
import type { Standing } from "@dbdepot/contract/v2/catalogue";

export type RequestState = (typeof REQUEST_STATES)[number];

/** A person of an organization asks the vendor for a licence. An organization has one pending request per family. */
export interface AccessRequest {
  id: string;
  organizationId: string;
  base: string;
  /** The person who asked. Copied, because the account may be renamed or deleted later. */
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

/** The licence that settles a request. */
export interface GrantedLicence {
  id: string;
  organizationId: string;
  base: string;
}

/** The part of the organization's licences that the vendor sees. */
export interface StandingAtRequest {
  standing: Standing;
  licence: { expires: Date | null } | undefined;
}
