import type { Operation } from "../store.ts";
import type { KeyContext } from "./route.ts";

/** For changes made by the caller's key. */
export function operationOf({ services, caller, now }: KeyContext): Operation {
  const { store, maxKeysPerOrganization, evaluationDays } = services;
  return { store, actor: `key:${caller.prefix}`, now, maxKeysPerOrganization, evaluationDays };
}
