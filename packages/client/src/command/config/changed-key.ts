import type { CommandContext } from "../context.ts";
import type { SettingFlags } from "./read-settings.ts";
import type { Secret } from "./secret.ts";

/** Reads the key again and returns it if it has changed. A key that cannot be read is not a reason to stop. */
export function changedKey({ read, output }: CommandContext, flags: SettingFlags, current: Secret | undefined) {
  const { settings, problems } = read(flags);
  // The client renews the key of a login itself.
  if (settings.isLogin && current) return undefined;
  for (const problem of problems) output.warn(problem);
  const isNew = problems.length === 0 && settings.key?.reveal() !== current?.reveal();
  if (isNew) output.info(`using the new key ${settings.key}\n`);
  return isNew ? settings.key : undefined;
}
