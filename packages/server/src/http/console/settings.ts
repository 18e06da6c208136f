import type { EffectiveSettings } from "@dbdepot/contract/console/settings";
import type { PersonContext } from "./route.ts";

export async function getSettings({ services }: PersonContext): Promise<EffectiveSettings> {
  return { settings: [...services.console.settings] };
}
