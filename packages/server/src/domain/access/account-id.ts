import { createHash } from "node:crypto";

const ACCOUNT_ID_MAX = 2 ** 31 - 1;

/**
 * A number for programs that identify customers by a number, such as geoipupdate, which reads it as an integer of the
 * machine's size. It is derived from the id, so two organizations may share one: access depends on the key alone.
 */
export function accountIdOf(organizationId: string): number {
  const digest = createHash("sha256").update(organizationId).digest();
  return (digest.readUInt32BE() % ACCOUNT_ID_MAX) + 1;
}
