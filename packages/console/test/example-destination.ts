import type { BucketDelivery } from "../../server/src/domain/destinations/destination.ts";
import { allowDestinations, createDestination } from "../../server/src/domain/destinations/destinations.ts";
import type { Operation } from "../../server/src/domain/store.ts";
import { newId } from "../../server/src/platform/primitives/ids.ts";

/** The settings of a vendor with an identity for deliveries. */
export const IDENTITY = {
  AWS_ACCESS_KEY_ID: "vendor",
  AWS_SECRET_ACCESS_KEY: "vendorsecret",
  DBDEPOT_DELIVERY_PRINCIPAL: "arn:aws:iam::123456789012:user/dbdepot",
};

type Result = Pick<BucketDelivery, "versionId" | "outcome" | "files" | "bytes" | "problem" | "error">;

const RESULTS: Result[] = [
  { versionId: "bogon_ip_v2", outcome: "delivered", files: 3, bytes: 1_203_411, problem: null, error: null },
  { versionId: "pilot_ip_v1", outcome: "refused", files: 0, bytes: 0, problem: null, error: "the licence has expired" },
  {
    versionId: "vpn_ip_v2",
    outcome: "failed",
    files: 1,
    bytes: 88_213,
    problem: "permission",
    error: "the policy of the bucket or role does not allow it (AccessDenied: s3:PutObject on arn:aws:s3:::acme-data)",
  },
];

/** A destination that was paused after a few deliveries, and one whose setup is not finished. Nothing is sent to them. */
export async function addExampleDestinations(operation: Operation, organizationId: string): Promise<void> {
  const { store, now } = operation;
  const owner = async () => ({ id: organizationId });
  await allowDestinations(operation, owner, true);
  const identity = { principal: IDENTITY.DBDEPOT_DELIVERY_PRINCIPAL, endpoint: null };
  const vendor = { ...operation, rules: { ...operation.rules, vendorIdentity: identity } };
  const place = { bucket: "acme-data", region: "eu-west-1" };
  const roleArn = "arn:aws:iam::210987654321:role/dbdepot-delivery";
  await createDestination(vendor, owner, { ...place, prefix: "staging", access: "role", roleArn });
  const request = { ...place, prefix: "dbdepot", access: "vendor", description: "data lake" } as const;
  const created = await createDestination(vendor, owner, request);
  await store.change(async ({ destinations }) => {
    const ownership = { ...created.ownership, verified: now };
    await destinations.update({ ...created, ownership, paused: { at: now, reason: "failing" } });
    const error = RESULTS.at(-1)?.error ?? null;
    await destinations.setProgress(created.id, { failingSince: now, error, lastDelivered: now });
    for (const result of RESULTS) {
      await destinations.addDelivery({
        ...result,
        id: newId(now),
        destinationId: created.id,
        buildId: newId(now),
        durationMs: 2400,
        created: now,
      });
    }
  });
}
