import type { EffectiveSetting } from "@dbdepot/contract/console/settings";
import type { Settings } from "./settings.ts";
import { SETTINGS, type Setting, type SettingName } from "./table.ts";

/** The values of settings with such names never leave the server. */
const SECRET = /SECRET|TOKEN|PASSWORD|ACCESS_KEY/;
/** Parameters of URLs that may hold a secret, such as the `password` of a PostgreSQL URL. */
const SECRET_PARAMETER = /([?&][^=&]*(?:pass|secret|token|key|credential)[^=&]*=)[^&#]*/gi;
const MASK = "•••";

/** Every setting with the value in use and where it comes from, without secrets. */
export function settingsReport(settings: Settings): EffectiveSetting[] {
  return Object.entries<Setting>(SETTINGS).map(([name, row]) => {
    const { default: usual, meaning } = row;
    const given = settings.given[name as SettingName];
    const isSecret = SECRET.test(name);
    const value = given ?? defaultInUse(settings, row);
    return {
      name,
      value: isSecret ? null : value === "" ? null : maskSecrets(value),
      is_set: given !== undefined,
      secret: isSecret,
      default: usual === "" ? null : usual,
      meaning,
    };
  });
}

/** The default in use, which may depend on other settings. */
function defaultInUse(settings: Settings, { field, default: usual }: Setting): string {
  const value = settings[field as keyof Settings];
  return typeof value === "string" ? value : usual.replace("<data>", settings.dataDir);
}

/**
 * Masks everything between "//" and the last "@", because a password with special characters may make a URL that
 * parsers read differently, and secrets in the query.
 */
export function maskSecrets(value: string): string {
  return value.replace(/\/\/.*@/s, `//${MASK}@`).replace(SECRET_PARAMETER, `$1${MASK}`);
}
