import { createHash } from "node:crypto";
import type { Limits } from "../limits/limits.ts";

/** A customer: the holder of licences and keys. */
export interface Organization {
  id: string;
  name: string;
  created: Date;
  /** Null unless it is archived: then its keys are refused. */
  archived: Date | null;
  /** Its id in the vendor's other systems, if it has one there. Unique. */
  externalId: string | null;
  limits: Limits;
}

export const ORGANIZATION_NAME_MAX_LENGTH = 200;
export const EXTERNAL_ID_MAX_LENGTH = 100;
const ACCOUNT_ID_MAX = 2 ** 31 - 1;

/**
 * A number for programs that identify customers by a number, such as geoipupdate, which reads it as an integer of the
 * machine's size. It is derived from the id, so two organizations may share one: access depends on the key alone.
 */
export function accountIdOf(organizationId: string): number {
  const digest = createHash("sha256").update(organizationId).digest();
  return (digest.readUInt32BE() % ACCOUNT_ID_MAX) + 1;
}
