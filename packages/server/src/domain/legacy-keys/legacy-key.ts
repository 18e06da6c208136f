import { randomUUID } from "node:crypto";
import { hashSecret, type SecretHash } from "../access/secret.ts";

/** A v1 credential: a UUID, and the database ids it may download. */
export interface LegacyKey {
  id: string;
  organizationId: string | null;
  name: string;
  hash: SecretHash;
  databaseIds: string[];
  created: Date;
  lastUsed: Date | null;
  revoked: Date | null;
}

export interface LegacyKeyRequest {
  organization?: string | undefined;
  name: string;
  databaseIds: readonly string[];
  /** An existing UUID to import. If missing, a new one is generated. */
  uuid?: string | undefined;
}

const DASHED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const PLAIN = /^[0-9a-f]{32}$/;

/** Normalizes a UUID to lower case without dashes. Returns undefined if the text is not a UUID. */
export function normalizeUuid(text: string): string | undefined {
  const lower = text.trim().toLowerCase();
  if (PLAIN.test(lower)) return lower;
  return DASHED.test(lower) ? lower.replaceAll("-", "") : undefined;
}

export function generateUuid(): string {
  return randomUUID();
}

/** Expects the normalized form, so that every notation has the same hash. */
export function hashUuid(normalized: string): SecretHash {
  return hashSecret(normalized);
}
