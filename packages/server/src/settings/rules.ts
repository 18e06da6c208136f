import { keyFiles } from "../domain/manifests/key-files.ts";
import type { Rules } from "../domain/store.ts";
import type { Settings } from "./settings.ts";

/** The settings that changes depend on, made by a command or a request. */
export function rulesOf(settings: Settings): Rules {
  const { maxKeysPerOrganization, evaluationDays, webhookPrivateNetworks, signingKeysDir, twoFactor } = settings;
  return {
    maxKeysPerOrganization,
    evaluationDays,
    webhookPrivateNetworks,
    privateKeys: keyFiles(signingKeysDir),
    twoFactor,
  };
}
