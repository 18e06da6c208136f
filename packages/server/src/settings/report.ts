import type { EffectiveSetting } from "@dbdepot/contract/console/settings";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";

/** Their values never leave the server. */
const SECRET = /SECRET|TOKEN|PASSWORD|ACCESS_KEY/;
/** Parameters of URLs that may hold a secret, such as the `password` of a PostgreSQL URL. */
const SECRET_PARAMETER = /([?&][^=&]*(?:pass|secret|token|key|credential)[^=&]*=)[^&#]*/gi;
const MASK = "•••";

/** Every setting with the value in use and where it comes from, without secrets. */
export function settingsReport(settings: Settings): EffectiveSetting[] {
  return Object.entries(SETTINGS).map(([name, { default: usual, meaning }]) => {
    const given = settings.given[name as SettingName];
    const isSecret = SECRET.test(name);
    const value = given ?? effectiveDefault(settings, name as SettingName) ?? usual;
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

/** The value of a default that depends on other settings. */
function effectiveDefault(settings: Settings, name: SettingName): string | undefined {
  switch (name) {
    case "DBDEPOT_DATA_DIR":
      return settings.dataDir;
    case "DBDEPOT_DATABASE_URL":
    case "DBDEPOT_OBJECTS_URL":
      return SETTINGS[name].default.replace("<data>", settings.dataDir);
    case "DBDEPOT_PUBLIC_URL":
      return settings.publicUrl;
    case "DBDEPOT_OBJECTS_PUBLIC_URL":
      return settings.objectsPublicUrl;
    default:
      return undefined;
  }
}

/**
 * Masks everything between "//" and the last "@", because a password with special characters may make a URL that parsers
 * read differently, and secrets in the query.
 */
export function maskSecrets(value: string): string {
  return value.replace(/\/\/.*@/s, `//${MASK}@`).replace(SECRET_PARAMETER, `$1${MASK}`);
}
