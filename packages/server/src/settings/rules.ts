import { Secrets } from "../domain/destinations/secrets.ts";
import type { VendorIdentity } from "../domain/destinations/store.ts";
import { keyFiles } from "../domain/manifests/key-files.ts";
import type { FreshnessRules } from "../domain/manifests/store.ts";
import type { Rules } from "../domain/store.ts";
import { HOUR_MS } from "../platform/primitives/dates.ts";
import type { Settings } from "./settings.ts";

/** The settings that changes depend on, made by a command or a request. */
export function rulesOf(settings: Settings): Rules {
  const {
    maxKeysPerOrganization,
    evaluationDays,
    webhookPrivateNetworks,
    signingKeysDir,
    twoFactor,
    mail,
    operatorMail,
    brand,
    edge,
    originWaitSeconds,
    purgeCommand,
    secretsKeyFile,
  } = settings;
  return {
    maxKeysPerOrganization,
    evaluationDays,
    webhookPrivateNetworks,
    privateKeys: keyFiles(signingKeysDir),
    freshness: freshnessRules(settings),
    secrets: new Secrets(secretsKeyFile),
    vendorIdentity: identityOf(settings),
    twoFactor,
    mail: mail && { operatorMail, service: brand.name },
    linkRegions: edge?.origins.map(({ region }) => region) ?? [],
    originWaitSeconds,
    purges: purgeCommand !== "",
  };
}

/** Credentials without a name for policies are those of the storage only. */
function identityOf({ aws, deliveryPrincipal: principal, objects }: Settings): VendorIdentity | undefined {
  if (!aws || principal === undefined) return undefined;
  return { principal, endpoint: (objects.store === "s3" && objects.endpoint) || null };
}

/** What this process needs to issue statements of freshness. */
export function freshnessRules({ freshnessKeysDir, freshnessHours }: Settings): FreshnessRules {
  return { privateKeys: keyFiles(freshnessKeysDir, "freshness"), lifeMs: freshnessHours * HOUR_MS };
}
