import type { OpenBucket } from "../domain/destinations/bucket.ts";
import type { Secrets } from "../domain/destinations/secrets.ts";
import type { Store } from "../domain/store.ts";
import type { Settings } from "../settings/settings.ts";

/** What opens buckets of customers, for a server or a command. */
export function openBuckets(
  { aws, deliveryPrincipal, webhookPrivateNetworks: privateNetworks }: Settings,
  { destinations }: Pick<Store, "destinations">,
  secrets: Secrets,
): OpenBucket {
  return async (destination) => {
    // Imported on demand: loading the AWS SDK takes longer than loading everything else.
    const { bucketOpener } = await import("../adapters/objects/bucket.ts");
    const open = bucketOpener({
      privateNetworks,
      secrets,
      credentials: deliveryPrincipal === undefined ? undefined : aws,
      externalIdOf: async (organizationId) => (await destinations.permission(organizationId))?.externalId,
    });
    return open(destination);
  };
}
