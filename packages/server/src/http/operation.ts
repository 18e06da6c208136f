import { actorOf } from "../domain/access/account.ts";
import type { Manager } from "../domain/access/manager.ts";
import type { Operation } from "../domain/store.ts";
import { bearerKey } from "./credentials.ts";
import type { Caller, RequestContext } from "./route.ts";

interface CallerContext extends RequestContext {
  caller: Caller;
}

/** For changes made by the caller. */
export function operationOf({ services, caller, now }: CallerContext): Operation {
  const { store, rules } = services;
  const actor = "key" in caller ? `key:${caller.prefix}` : actorOf(caller.account);
  return { store, actor, now, rules };
}

/** For changes of keys, which check the caller again. */
export function managerOf({ request, caller }: CallerContext): Manager {
  if ("key" in caller) return { presented: bearerKey(request), address: request.clientAddress };
  return { sessionHash: caller.sessionHash };
}
