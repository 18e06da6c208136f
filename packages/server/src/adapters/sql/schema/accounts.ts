import type { Role } from "@dbdepot/contract/console/accounts";
import type { SecretHash } from "../../../domain/access/secret.ts";
import type { SessionFactor } from "../../../domain/access/session.ts";
import type { LinkPurpose } from "../../../domain/accounts/link.ts";
import type { Challenge } from "../../../domain/accounts/passkey.ts";
import type { PasswordHash } from "../../../domain/accounts/password.ts";
import type { Flag, Json, Time } from "./columns.ts";

/** People, and how they and their programs sign in. */
export interface AccountTables {
  accounts: {
    id: string;
    email: string;
    name: string;
    role: Role;
    organization_id: string | null;
    password_hash: PasswordHash | null;
    created: Time;
    last_sign_in: Time | null;
    disabled: Time | null;
    oidc_issuer: string | null;
    oidc_subject: string | null;
  };
  account_sessions: {
    hash: SecretHash;
    id: string;
    account_id: string;
    created: Time;
    last_seen: Time;
    address: string;
    user_agent: string;
    viewed_organization_id: string | null;
    second_factor: SessionFactor | null;
  };
  account_passkeys: {
    id: string;
    account_id: string;
    credential_id: string;
    public_key: string;
    counter: number;
    transports: Json;
    name: string;
    created: Time;
    last_used: Time | null;
    signs_in_alone: Flag;
  };
  account_recovery_codes: { hash: SecretHash; account_id: string };
  account_challenges: {
    hash: SecretHash;
    account_id: string;
    purpose: Challenge["purpose"];
    challenge: string;
    expires: Time;
  };
  passkey_challenges: { hash: SecretHash; challenge: string; expires: Time };
  account_links: {
    hash: SecretHash;
    account_id: string;
    purpose: LinkPurpose;
    created: Time;
    expires: Time;
    /** The e-mail that contains the link, if any. */
    mail_id: string | null;
  };
  device_requests: {
    device_hash: SecretHash;
    user_hash: SecretHash;
    id: string;
    program_id: string;
    scopes: Json;
    host: string | null;
    address: string;
    created: Time;
    expires: Time;
    last_polled: Time | null;
    denied: Flag;
    /** Null until a person has approved. */
    account_id: string | null;
    approval: Json | null;
  };
  authorization_codes: {
    hash: SecretHash;
    program_id: string;
    redirect: string;
    challenge: string;
    scopes: Json;
    host: string | null;
    address: string;
    account_id: string;
    approval: Json;
    expires: Time;
    sign_in_id: string | null;
  };
  sign_ins: {
    id: string;
    program_id: string;
    account_id: string;
    key_id: string;
    days: number;
    key_expires: Time;
    created: Time;
    /** When the program lost its key. */
    ended: Time | null;
  };
  /** This table has at most one row, with the key of the digests. */
  erasure_secret: { id: 1; secret: string };
  erased_people: { digest: string };
  refresh_tokens: { hash: SecretHash; sign_in_id: string; used: Flag };
}
