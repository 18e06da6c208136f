import type { AccessWay, BucketProblem } from "@dbdepot/contract/v2/destinations";
import type { BucketDeliveryOutcome, Encryption, PauseReason } from "../../../domain/destinations/destination.ts";
import type { Json, Time } from "./columns.ts";

/** Buckets of customers, and what is in them. */
export interface DestinationTables {
  delivery_permissions: { organization_id: string; external_id: string; allowed: Time | null };
  destinations: {
    id: string;
    organization_id: string;
    bucket: string;
    prefix: string;
    region: string;
    endpoint: string | null;
    access: AccessWay;
    role_arn: string | null;
    access_key_id: string | null;
    /** Encrypted with a key that is not in the database. */
    sealed_secret: string | null;
    encryption: Encryption | null;
    description: string;
    families: Json | null;
    formats: Json | null;
    keep: number;
    ownership_token: string;
    verified: Time | null;
    created: Time;
    paused: Time | null;
    paused_reason: PauseReason | null;
    failing_since: Time | null;
    error: string | null;
    last_delivered: Time | null;
  };
  destination_databases: {
    destination_id: string;
    version_id: string;
    build_id: string | null;
    contents: string;
    sequence: number;
    additions: string;
    refusal: Json | null;
  };
  destination_builds: {
    destination_id: string;
    build_id: string;
    version_id: string;
    files: Json;
    /** When `latest.json` began to name it. */
    marked: Time | null;
  };
  destination_deliveries: {
    id: string;
    destination_id: string;
    version_id: string;
    build_id: string | null;
    outcome: BucketDeliveryOutcome;
    files: number;
    bytes: number;
    problem: BucketProblem | null;
    error: string | null;
    duration_ms: number;
    created: Time;
  };
}
