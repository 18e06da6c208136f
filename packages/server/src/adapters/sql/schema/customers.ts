import type { Redistribution } from "@dbdepot/contract/v2/catalogue";
import type { LimitName } from "@dbdepot/contract/v2/limits";
import type { SecretHash } from "../../../domain/access/secret.ts";
import type { RequestState } from "../../../domain/requests/request.ts";
import type { Json, Revised, Time } from "./columns.ts";

/** Organizations, and what they are allowed to use. */
export interface CustomerTables {
  organizations: Revised & {
    id: string;
    name: string;
    created: Time;
    archived: Time | null;
    external_id: string | null;
    link_region: string | null;
  } & Record<LimitName, number | null>;
  licences: Revised & {
    id: string;
    organization_id: string;
    base: string;
    redistribution: Redistribution;
    starts: Time;
    expires: Time | null;
    created: Time;
    renews_at: Time | null;
    notice_due_at: Time | null;
    external_id: string | null;
    terms_id: string | null;
  };
  terms: {
    id: string;
    name: string;
    version: number;
    title: string;
    text: string;
    size_bytes: number;
    sha256: string;
    created: Time;
  };
  terms_acceptances: Revised & {
    id: string;
    organization_id: string;
    terms_id: string;
    sha256: string;
    account_id: string;
    name: string;
    email: string;
    address: string;
    created: Time;
  };
  access_requests: {
    id: string;
    organization_id: string;
    base: string;
    person_email: string;
    person_name: string;
    message: string;
    state: RequestState;
    reply: string | null;
    decided: Time | null;
    licence_id: string | null;
    created: Time;
  };
  keys: Revised & {
    id: string;
    organization_id: string | null;
    name: string;
    prefix: string;
    scopes: Json;
    cidrs: Json;
    expires: Time | null;
    created: Time;
    last_used: Time | null;
    revoked: Time | null;
  };
  key_secrets: { hash: SecretHash; key_id: string; prefix: string; created: Time; expires: Time | null };
  key_creations: { organization_id: string; idempotency_hash: string; key_id: string; created: Time };
  legacy_keys: Revised & {
    id: string;
    organization_id: string | null;
    name: string;
    hash: SecretHash;
    database_ids: Json;
    created: Time;
    last_used: Time | null;
    revoked: Time | null;
  };
}
